/** The answer to a request that is not HTTP, or that Node gave up reading. */
import type { Socket } from 'node:net';
import { malformedRequest, requestTimedOut, type Problem } from '../../errors.ts';
import type { Observer } from '../../monitoring/observe.ts';
import { problemBody, problemType, titleOf } from '../problem.ts';
import { traceIdFor } from '../trace.ts';

/** By the code of Node's error. Everything else is a 400. */
const problems: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: malformedRequest(431),
  ERR_HTTP_REQUEST_TIMEOUT: requestTimedOut(),
};

/** For the event `clientError` of a server, for which Node leaves the socket to the listener. */
export function createUnreadableAnswer({ observeRequest }: Pick<Observer, 'observeRequest'>) {
  return function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, reason } = (problems[error.code ?? ''] ?? malformedRequest()).details;
    const traceId = traceIdFor(undefined);
    const body = problemBody({ status, reason }, traceId);
    const head = [
      `HTTP/1.1 ${status} ${titleOf(status)}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Error-Reason: ${reason}`,
      `Request-Id: ${traceId}`,
      'X-Content-Type-Options: nosniff',
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    observeRequest({ method: 'none', operation: 'none', status, milliseconds: 0, traceId, client: undefined, reason });
  };
}
