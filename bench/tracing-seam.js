/**
 * Loaded before the service (`node --import`) by the benchmark of tracing. With TRACING_SEAM=removed, the lines that ask
 * whether a request is traced are taken out of the compiled service while it is loaded. A line that is no longer there
 * stops the start, so the comparison cannot become one of two equal builds. With TRACING_SEAM=kept, nothing changes.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Of `dist/http/server.js`. The stores are wrapped at the start only, and only when tracing is on. */
const seams = [
  ['function serve(request, response, span) {', 'function serve(request, response) {'],
  ['span?.traceparent ?? traceIdFor(', 'traceIdFor('],
  ['span?.end({ route: record.route, status });', ''],
  [
    /\(request, response\) => options\.tracing\s+\? options\.tracing\.run\(request, \(span\) => serve\(request, response, span\)\)\s+: serve\(request, response\)/,
    'serve',
  ],
];

if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (process.env.TRACING_SEAM !== 'removed' || !url.endsWith('/dist/http/server.js')) return loaded;
  return { ...loaded, source: seams.reduce(removeSeam, String(loaded.source)) };
}

function removeSeam(source, [seam, instead]) {
  const removed = source.replace(seam, instead);
  if (removed === source) throw new Error(`dist/http/server.js has no ${seam}: bench/tracing-seam.js is out of date.`);
  return removed;
}
