/**
 * Traces, by the OpenTelemetry API. While tracing is off, nothing is wrapped and nothing is loaded. While it is on,
 * there is a span for each request, store function, gateway call, webhook and job. A span never contains a user id, a
 * phone number or a value of a statement.
 */
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from '@opentelemetry/api';

export interface Tracing {
  /** Wraps every function of a store, so that each statement has a span with its name. */
  wrapStore<T extends object>(name: string, store: T): T;
  /** Runs a piece of work in its own span. */
  run<T>(name: string, kind: 'internal' | 'client', attributes: Attributes, work: () => Promise<T>): Promise<T>;
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
  traceId: string;
  spanId: string;
  isSampled: boolean;
  end(outcome: { route: string | undefined; status: number }): void;
}

export function createTracing(tracer: Tracer, stop: () => Promise<void>): Tracing {
  const run: Tracing['run'] = (name, kind, attributes, work) =>
    tracer.startActiveSpan(
      name,
      { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes },
      (span) => endWith(span, work),
    );
  return {
    run,
    stop,
    request: { run: (request, answer) => runRequest(tracer, request, answer) },
    wrapStore: (name, store) =>
      wrapFunctions(store, (statement, call) =>
        run(
          `${name}.${statement}`,
          'client',
          { 'db.system.name': 'postgresql', 'db.query.summary': `${name}.${statement}` },
          call,
        ),
      ),
  };
}

async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The message of an error may quote values; its class and code do not.
    const { name, code } = error as Error & { code?: string };
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', code ?? name ?? 'unknown');
    throw error;
  } finally {
    span.end();
  }
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
      traceId,
      spanId,
      isSampled: (traceFlags & 1) === 1,
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
