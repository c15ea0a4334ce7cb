/**
 * Calls a gateway over HTTP: only the configured host, no redirects, a bounded answer, a bounded time.
 * It says whether a request that failed can have arrived, since that decides if it may be repeated.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Outcome, Outcomes } from './gateway.ts';

export interface HttpCall {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Undefined when the body is no JSON. */
  // oxlint-disable-next-line no-explicit-any -- each adapter reads what its gateway documents
  json: any;
}

/** No answer: why, and whether the request can have arrived. */
class NoAnswer extends Error {
  readonly maybeSent: boolean;

  constructor(reason: string, maybeSent: boolean) {
    super(reason);
    this.maybeSent = maybeSent;
  }
}

const largestAnswerBytes = 64 * 1024;

/**
 * Connections are kept for the next message, as many as a rush has opened, and closed by us before a gateway
 * usually would: one that it closes just as a message goes out leaves open what became of that message.
 */
const agentOptions = { keepAlive: true, maxFreeSockets: 1000, timeout: 30_000 };

export function httpCaller(baseUrl: string) {
  const base = new URL(baseUrl);
  const secure = base.protocol === 'https:';
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const root = base.pathname.replace(/\/$/, '');

  function post({ path, headers, body }: HttpCall, withinMilliseconds: number): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      let connected = false;
      const fail = (reason: string) => {
        clearTimeout(timer);
        request.destroy();
        reject(new NoAnswer(reason, connected));
      };
      const request = (secure ? httpsRequest : httpRequest)({
        agent,
        method: 'POST',
        host: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port || (secure ? 443 : 80),
        path: root + path,
        headers: { 'user-agent': 'ledgerline', ...headers, 'content-length': Buffer.byteLength(body) },
      });
      const timer = setTimeout(() => fail('no answer in time'), withinMilliseconds);
      request.on('socket', (socket) => {
        if (request.reusedSocket) connected = true;
        else socket.once(secure ? 'secureConnect' : 'connect', () => (connected = true));
      });
      request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'connection failed'));
      request.on('response', (response) => {
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
          clearTimeout(timer);
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            json: parsed(Buffer.concat(chunks).toString()),
          });
        });
      });
      request.end(body);
    });
  }

  return {
    /** Sends, and lets the adapter say what the answer means. What never came is told apart here. */
    async outcome(
      outcomes: Outcomes,
      call: HttpCall,
      withinMilliseconds: number,
      read: (answer: HttpAnswer) => Outcome,
    ): Promise<Outcome> {
      try {
        const answer = await post(call, withinMilliseconds);
        if (answer.status >= 300 && answer.status < 400) return outcomes.unsent(`redirect ${answer.status}`);
        return read(answer);
      } catch (error) {
        if (error instanceof NoAnswer) return outcomes[error.maybeSent ? 'unknown' : 'unsent'](error.message);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a status means where the gateway's body says nothing better. */
export function byStatus(outcomes: Outcomes, { status }: HttpAnswer): Outcome {
  // A 500, 502 or 504 leaves open how far the request came; a 503 and a 429 say that it was turned away.
  if (status === 503 || status === 429) return outcomes.unsent(`HTTP ${status}`);
  if (status >= 500) return outcomes.unknown(`HTTP ${status}`);
  if (status >= 400) return outcomes.unsent(`HTTP ${status}`);
  return outcomes.unknown(`HTTP ${status} that cannot be read`);
}

export const formType = 'application/x-www-form-urlencoded';

/** A header of a callback; empty when it is not there. */
export function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
