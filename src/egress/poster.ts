/**
 * Posts to a URL that a caller chose: only to addresses that the policy allows, without following redirects, with
 * limits on the size and the time of the answer.
 */
import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { parseRetryAfter } from '../formats/retry-after.ts';
import { giveTime } from '../network/give-time.ts';
import { asLookup } from '../network/shared-lookup.ts';
import { plainHost, type EgressPolicy } from './addresses.ts';
import { proxyAgents } from './proxy.ts';
import type { ResolveHost } from './resolver.ts';

export interface PostAnswer {
  /** Absent if there was no answer. */
  status?: number;
  /** Why there was no answer, or what was wrong with it. */
  error?: string;
  /** The header, if it can be read. */
  retryAfterSeconds?: number;
  /** The beginning of the body. */
  text?: string;
  milliseconds: number;
}

export interface Poster {
  post(url: string, headers: Record<string, string>, body: string): Promise<PostAnswer>;
  /** Ends the requests in flight and closes all connections. */
  close(): void;
}

export interface PosterOptions {
  policy: EgressPolicy;
  /** How long the answer's head may take. */
  timeoutMilliseconds: number;
  /** Maximum number of connections that are kept open. */
  connections: number;
  /** An HTTP proxy for all requests. It resolves names itself, and is trusted to check them. */
  proxyUrl?: string | undefined;
  resolveHost: ResolveHost;
}

/** The number of bytes of an answer that are kept. */
const keptBytes = 1024;
/**
 * The number of bytes of an answer that are read, so that its connection can be used again; a longer answer is cut off.
 */
const readBytes = 16 * 1024;

/** How long the body may take after the head. */
const bodyMilliseconds = 2000;

const late = 'No answer in time.';

type Answer = Omit<PostAnswer, 'milliseconds'>;

class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

export function createPoster(options: PosterOptions): Poster {
  const { policy, timeoutMilliseconds, connections, proxyUrl, resolveHost } = options;
  const agentOptions = {
    keepAlive: true,
    maxSockets: connections,
    maxFreeSockets: connections,
    // Closed earlier than receivers usually close connections.
    timeout: 20_000,
    lookup: checkedLookup(policy, resolveHost),
  };
  const agents = proxyUrl
    ? proxyAgents(proxyUrl, agentOptions, timeoutMilliseconds)
    : { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  const inFlight = new Set<ClientRequest>();

  function send(url: URL, headers: Record<string, string>, body: string): Promise<Answer> {
    return new Promise((settle) => {
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)({
        agent: isSecure ? agents.https : agents.http,
        method: 'POST',
        host: plainHost(url.hostname),
        port: url.port || (isSecure ? 443 : 80),
        path: url.pathname + url.search,
        headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body) },
      });
      inFlight.add(request);
      const endTimer = giveTime(timeoutMilliseconds, () => request.destroy(new Error(late)));
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed a kept connection just as it was used again.
        const wasKept = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        settle(wasKept ? send(url, headers, body) : { error: sentenceOf(error) });
      });
      request.on('close', () => {
        endTimer();
        inFlight.delete(request);
        settle({ error: 'The connection was closed without an answer.' });
      });
      request.on('response', (response) => {
        endTimer();
        readAnswer(response, settle);
      });
      request.end(body);
    });
  }

  return {
    async post(url, headers, body) {
      const begunAt = performance.now();
      // A literal needs no lookup, so it is checked here; and settings may have changed since the URL was registered.
      const isAllowed = policy.refuseUrl(url) === undefined;
      const answer = isAllowed ? await send(new URL(url), headers, body) : { error: 'The URL is not allowed.' };
      return { ...answer, milliseconds: Math.round(performance.now() - begunAt) };
    },
    close() {
      // Without an error of ours it would count as a connection that the receiver has closed, and be sent again.
      for (const request of inFlight) request.destroy(new Error('The poster was closed.'));
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/**
 * The lookup of the connection itself, so that the checked addresses are the ones that are connected to. If one address
 * is forbidden, all are.
 */
function checkedLookup(policy: EgressPolicy, resolveHost: ResolveHost): LookupFunction {
  async function resolve(host: string): Promise<readonly LookupAddress[]> {
    const addresses = await resolveHost(host);
    const isForbidden = addresses.length === 0 || addresses.some(({ address }) => !policy.isAllowed(address, host));
    if (isForbidden) throw new ForbiddenAddress('The host leads to a forbidden address.');
    return addresses;
  }
  return asLookup(resolve);
}

function readAnswer(response: IncomingMessage, settle: (answer: Answer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const retryAfterSeconds = parseRetryAfter(response.headers['retry-after']);
  // The head decides the outcome; the body is only information for an operator.
  const finish = () =>
    settle({
      status: response.statusCode!,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      text: Buffer.concat(chunks).subarray(0, keptBytes).toString().replaceAll('\u0000', ''),
    });
  response.on('data', (chunk: Buffer) => {
    if (length < keptBytes) chunks.push(chunk);
    length += chunk.length;
    if (length > readBytes) response.destroy();
  });
  const timer = setTimeout(() => response.destroy(), bodyMilliseconds);
  response.on('end', finish);
  response.on('error', finish);
  response.on('close', () => {
    clearTimeout(timer);
    finish();
  });
}

const sentences: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EPIPE: 'The connection was reset.',
  ENOTFOUND: 'The host name does not resolve.',
  EAI_AGAIN: 'No name server answered for the host.',
  ETIMEDOUT: late,
  FORBIDDEN_ADDRESS: 'The host leads to a forbidden address.',
};

/** An unknown error message may quote anything, so only known errors are passed on. */
function sentenceOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message === late ? message : 'The connection failed.';
  if (/CERT|TLS|SSL/.test(code)) return `The TLS connection failed (${code}).`;
  return sentences[code] ?? `The connection failed (${code}).`;
}
