/**
 * `npm run fuzz -- --requests 1000000`: sends a service what its OpenAPI document describes, and variations that it does
 * not allow, with tokens of every kind. No answer may be a 5xx or lack its documented form, no request may hang, and
 * memory must stay flat.
 *
 *   --requests <n>     how many (20000)
 *   --seed <n>         the seed of everything random; printed if not given
 *   --connections <n>  how many at a time (8)
 *   --data-dir <path>  of a sandbox that has been started before; an empty one if not given
 */
import { parseArgs } from 'node:util';
import { createRandom } from '../chaos/random.js';
import { checkAnswer } from './answers.js';
import { createRequests } from './requests.js';
import { startTarget } from './target.js';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    connections: { type: 'string', default: '8' },
    'data-dir': { type: 'string' },
  },
});

const seed = options.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed);
const total = Number(options.requests);
const random = createRandom(seed);
const failuresShown = 20;
const requestsPerSample = 200;
const growthLimit = 1.3;
const growthMebibytes = 64;

console.log(`Seed ${seed}, ${total.toLocaleString('en')} requests.`);
const target = await startTarget(options['data-dir']);
const statuses = new Map();
const memory = [];
let failureCount = 0;
let sent = 0;
let slowestMilliseconds = 0;

const requests = createRequests({ ...target, random });
console.log(`${requests.operationCount} operations at ${target.url}.`);

/** A defect stands in the log of the service, which comes a moment later. */
function fail(problem, request, answer) {
  failureCount += 1;
  if (failureCount > failuresShown) return;
  const failure = {
    problem,
    request: describeRequest(request),
    status: answer.status,
    text: answer.text?.slice(0, 300),
  };
  setTimeout(() => console.log(`FAILURE ${JSON.stringify({ ...failure, log: target.lastLines() })}`), 500);
}

function describeRequest({ body, headers, ...rest }) {
  const { authorization: _, ...shown } = headers;
  return { ...rest, headers: shown, body: body?.toString('latin1').slice(0, 600), bodyBytes: body?.length };
}

async function sendOne() {
  const request = requests.draw();
  const startedAt = performance.now();
  const answer = await target.send(request);
  slowestMilliseconds = Math.max(slowestMilliseconds, performance.now() - startedAt);
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  const problem = checkAnswer(request, answer);
  if (problem) fail(problem, request, answer);
  await target.learn(request, answer);
}

function noteProgress() {
  const mebibytes = target.residentMebibytes();
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(
    `${sent.toLocaleString('en')} sent; ${counts.join(', ')}; ${Math.round(mebibytes)} MiB; ${failureCount} failures`,
  );
}

let isInterrupted = false;
process.once('SIGINT', () => (isInterrupted = true)).once('SIGTERM', () => (isInterrupted = true));

function medianOf(samples, from, to) {
  const part = samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).sort((a, b) => a - b);
  return part[Math.floor(part.length / 2)] ?? 0;
}

async function lane() {
  while (sent < total && !isInterrupted && target.isRunning()) {
    sent += 1;
    if (sent % requestsPerSample === 0) memory.push(target.residentMebibytes());
    if (sent % Math.ceil(total / 20) === 0) noteProgress();
    await sendOne();
  }
}

await Promise.all(Array.from({ length: Number(options.connections) }, lane));
if (!target.isRunning()) fail('The service ended.', { headers: {} }, {});
// The first quarter warms every path up.
const [before, after] = [medianOf(memory, 0.25, 0.5), medianOf(memory, 0.75, 1)];
if (after > before * growthLimit + growthMebibytes) {
  fail(`Memory grew from ${Math.round(before)} to ${Math.round(after)} MiB.`, { headers: {} }, {});
}
await target.stop();
console.log(
  `Slowest request: ${(slowestMilliseconds / 1000).toFixed(1)} s. Memory: ${Math.round(before)} MiB, then ${Math.round(after)} MiB.`,
);
console.log(failureCount === 0 ? 'No failure.' : `${failureCount} failures with seed ${seed}.`);
process.exitCode = failureCount === 0 ? 0 : 1;
