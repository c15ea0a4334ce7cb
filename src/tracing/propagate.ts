/** W3C Trace Context for outgoing requests. */

type WriteHeaders = (headers: Record<string, string>) => void;

let writeHeaders: WriteHeaders | undefined;

/** Set while tracing is on: the packages for it are not loaded otherwise. */
export function propagateWith(write: WriteHeaders | undefined): void {
  writeHeaders = write;
}

/** Continues the current trace at the receiver. Empty while tracing is off. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  writeHeaders?.(headers);
  return headers;
}
