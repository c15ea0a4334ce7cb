/**
 * Calls a gateway over HTTP: only the configured host, no redirects, a limited answer, a limited time. It distinguishes
 * requests that cannot have arrived from those that may have.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { parseRetryAfter } from '../formats/retry-after.ts';
import { giveTime } from '../network/give-time.ts';
import { sharedLookup } from '../network/shared-lookup.ts';
import { traceHeaders } from '../tracing/propagate.ts';
import { explainConnection } from './explain-connection.ts';
import { throttled, unavailable, unknown, type CheckAnswer, type GatewayAnswer, type Receipt } from './gateway.ts';

export interface HttpCall {
  /** POST if not given. */
  method?: 'GET';
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Undefined if the body is not JSON, or did not arrive as a whole. */
  // oxlint-disable-next-line no-explicit-any -- each adapter reads what its gateway documents
  json: any;
}

/** There is no answer, or no complete answer. */
class NoAnswer extends Error {
  readonly wasWritten: boolean;

  constructor(reason: string, wasWritten: boolean, cause?: unknown) {
    super(reason, { cause });
    this.wasWritten = wasWritten;
  }
}

const largestAnswerBytes = 64 * 1024;

/**
 * Connections are kept for the next messages, as many as a burst has opened. They are closed earlier than gateways
 * usually close them: if a gateway closes one while a message is being sent, the outcome of that message is unknown.
 */
const agentOptions = { keepAlive: true, maxFreeSockets: 1000, timeout: 30_000, lookup: sharedLookup };

export function httpCaller(baseUrl: string) {
  const base = new URL(baseUrl);
  const isSecure = base.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const root = base.pathname.replace(/\/$/, '');

  function exchange({ method, path, headers, body }: HttpCall, withinMilliseconds: number): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)({
        agent,
        method: method ?? 'POST',
        host: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port || (isSecure ? 443 : 80),
        path: root + path,
        headers: {
          'user-agent': 'ledgerline',
          ...traceHeaders(),
          ...headers,
          'content-length': Buffer.byteLength(body),
        },
      });
      // Node writes the request when the connection is established, and never before.
      let wasWritten = false;
      let errorStatus: { status: number; headers: IncomingHttpHeaders } | undefined;
      const fail = (reason: string, cause?: unknown) => {
        endTimer();
        request.destroy();
        // The status line alone shows that the gateway rejected the message.
        if (errorStatus) resolve({ ...errorStatus, json: undefined });
        else reject(new NoAnswer(reason, wasWritten, cause));
      };
      const endTimer = giveTime(withinMilliseconds, () => fail('no answer in time'));
      request.on('socket', (socket) => {
        if (request.reusedSocket) wasWritten = true;
        else socket.once(isSecure ? 'secureConnect' : 'connect', () => (wasWritten = true));
      });
      request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'connection failed', error));
      request.on('response', (response) => {
        const status = response.statusCode!;
        if (status >= 400) errorStatus = { status, headers: response.headers };
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > largestAnswerBytes) fail('answer too large');
          else chunks.push(chunk);
        });
        response.on('error', () => fail('connection lost'));
        response.on('close', () => response.complete || fail('connection lost'));
        response.on('end', () => {
          endTimer();
          resolve({ status, headers: response.headers, json: parseJson(Buffer.concat(chunks).toString()) });
        });
      });
      request.end(body);
    });
  }

  return {
    /** Sends, and lets the adapter read the answer. A missing answer is unavailable or unknown. */
    async send(
      call: HttpCall,
      withinMilliseconds: number,
      read: (answer: HttpAnswer) => GatewayAnswer,
    ): Promise<GatewayAnswer> {
      try {
        const answer = await exchange(call, withinMilliseconds);
        if (answer.status >= 300 && answer.status < 400) return unavailable(`redirect ${answer.status}`);
        return read(answer);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return error.wasWritten ? unknown(error.message) : unavailable(error.message);
      }
    },
    /** Makes a request that needs our credentials and sends no text. */
    async check(path: string, headers: Record<string, string>, withinMilliseconds: number): Promise<CheckAnswer> {
      try {
        const { status } = await exchange({ method: 'GET', path, headers, body: '' }, withinMilliseconds);
        if (status >= 200 && status < 300) return { isUsable: true };
        const isRefused = status === 401 || status === 403;
        return {
          isUsable: false,
          reason: isRefused ? `it refuses our credentials (HTTP ${status})` : `HTTP ${status}`,
        };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return explainConnection(error.cause ?? {}, error.message, 'it cannot be reached');
      }
    },
    close: () => agent.destroy(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The outcome of a status, if the gateway's body says nothing more precise. */
export function outcomeOfStatus(answer: HttpAnswer, reason: unknown = `HTTP ${answer.status}`): GatewayAnswer {
  const { status } = answer;
  if (status === 429) return throttled(reason, retryAfterOf(answer));
  // A proxy in front of the gateway sent these. It does not say whether the gateway got the request (RFC 9110, 15.6.3,
  // 15.6.5).
  if (status === 502 || status === 504) return unknown(reason);
  if (status >= 400) return unavailable(reason, status === 503 ? retryAfterOf(answer) : undefined);
  return unknown(`HTTP ${status}, unreadable`);
}

export function retryAfterOf({ headers }: HttpAnswer): number | undefined {
  return parseRetryAfter(headers['retry-after']);
}

/** The receipts in a callback whose body is JSON; undefined if it is not, or if nothing can be read from it. */
export function readJsonReceipts(
  body: Buffer,
  // oxlint-disable-next-line no-explicit-any -- each adapter reads what its gateway documents
  read: (content: any) => Receipt[] | undefined,
): Receipt[] | undefined {
  try {
    return read(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}

export const formType = 'application/x-www-form-urlencoded';

/** A header of a callback; empty if it is missing. */
export function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
