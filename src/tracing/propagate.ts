/** W3C Trace Context for outgoing requests. */
import { context, propagation } from '@opentelemetry/api';

/** Continues the current trace at the receiver. Empty while tracing is off. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
