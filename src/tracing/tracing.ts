/**
 * Traces, by the OpenTelemetry API. While tracing is off, nothing is wrapped and nothing is loaded. While it is on,
 * there is a span for each request, store function, gateway call and webhook, and for each job that found something to
 * do. A span never contains a user id, a phone number or a value of a statement.
 */
import {
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { causeOf } from '../errors.ts';

export interface Tracing {
  /** Wraps every function of a store, so that each statement has a span with its name. */
  wrapStore<T extends object>(name: string, store: T): T;
  /** Runs a call to another service in its own span. */
  run<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** The same, in a trace of its own, for work that belongs to no request. */
  runAlone<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /**
   * Runs a periodic job. It has a span only if one of its statements failed or changed something: most runs find nothing
   * to do, many times a second.
   */
  runJob<T>(name: string, work: () => Promise<T>): Promise<T>;
  request: RequestTracing;
  /** Sends the spans that are still waiting. */
  stop(): Promise<void>;
}

export interface TracedRequest {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface RequestTracing {
  /** Runs the answer to a request inside a server span, which continues the caller's trace. */
  run<T>(request: TracedRequest, answer: (span: RequestSpan) => T): T;
}

export interface RequestSpan {
  /** In the form of the header `traceparent` (W3C Trace Context). */
  traceparent: string;
  end(outcome: { route: string | undefined; status: number }): void;
}

export function createTracing(tracer: Tracer, stop: () => Promise<void>): Tracing {
  const run: Tracing['run'] = (name, attributes, work) => {
    const job = context.active().getValue(jobKey) as JobRun | undefined;
    const parent = job ? openJob(tracer, job) : context.active();
    return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, parent, (span) => endWith(span, work));
  };
  return {
    run,
    runAlone: (name, attributes, work) => context.with(ROOT_CONTEXT, () => run(name, attributes, work)),
    runJob: (name, work) => runJob(tracer, name, work),
    stop,
    request: { run: (request, answer) => runRequest(tracer, request, answer) },
    wrapStore: (name, store) =>
      wrapFunctions(store, (statement, call) => runStatement(tracer, `${name}.${statement}`, call)),
  };
}

interface JobRun {
  name: string;
  startedAt: number;
  hasEnded: boolean;
  /** Made when the job has done something. */
  span?: Span;
}

const jobKey = createContextKey('the job that runs');

async function runJob<T>(tracer: Tracer, name: string, work: () => Promise<T>): Promise<T> {
  const job: JobRun = { name, startedAt: Date.now(), hasEnded: false };
  try {
    return await context.with(ROOT_CONTEXT.setValue(jobKey, job), work);
  } catch (error) {
    openJob(tracer, job);
    noteFailure(job.span!, error);
    throw error;
  } finally {
    job.hasEnded = true;
    job.span?.end();
  }
}

/** The context of the job's span. Work that a job started may continue after it: that has traces of its own. */
function openJob(tracer: Tracer, job: JobRun): Context {
  if (job.hasEnded) return ROOT_CONTEXT;
  job.span ??= tracer.startSpan(`job ${job.name}`, { startTime: job.startedAt }, ROOT_CONTEXT);
  return trace.setSpan(ROOT_CONTEXT, job.span);
}

function runStatement(tracer: Tracer, name: string, call: () => Promise<unknown>): Promise<unknown> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  const options = { kind: SpanKind.CLIENT, attributes };
  const job = context.active().getValue(jobKey) as JobRun | undefined;
  if (!job) return tracer.startActiveSpan(name, options, (span) => endWith(span, call));
  const startTime = Date.now();
  const note = () => tracer.startSpan(name, { ...options, startTime }, openJob(tracer, job));
  return call().then(
    (result) => {
      if (isWork(name, result)) note().end();
      return result;
    },
    (error: unknown) => {
      const span = note();
      noteFailure(span, error);
      span.end();
      throw error;
    },
  );
}

/** The functions of stores that only read, by their names. */
const reads = /\.(read|find|is|count)[A-Z]/;

/** Whether a statement of a job changed something, as far as its name and its result say. */
function isWork(name: string, result: unknown): boolean {
  if (reads.test(name)) return false;
  if (Array.isArray(result)) return result.length > 0;
  return result !== 0;
}

async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    noteFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The message of an error may quote values; its class and code do not. */
function noteFailure(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', causeOf(error));
}

function runRequest<T>(tracer: Tracer, { method, headers }: TracedRequest, answer: (span: RequestSpan) => T): T {
  const parent = propagation.extract(context.active(), headers);
  const span = tracer.startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'url.scheme': 'http' } },
    parent,
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  return context.with(trace.setSpan(parent, span), () =>
    answer({
      traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      end({ route, status }) {
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(status));
        span.end();
      },
    }),
  );
}

/** Only functions that return a promise get a span; iterators and plain values are returned unchanged. */
function wrapFunctions<T extends object>(
  target: T,
  wrap: (name: string, call: () => Promise<unknown>) => Promise<unknown>,
): T {
  const wrapped = Object.entries(target).map(([name, value]) => {
    if (typeof value !== 'function' || value.constructor.name !== 'AsyncFunction') return [name, value];
    const call = value as (...given: unknown[]) => Promise<unknown>;
    return [name, (...given: unknown[]) => wrap(name, () => call.apply(target, given))];
  });
  return Object.fromEntries(wrapped) as T;
}
