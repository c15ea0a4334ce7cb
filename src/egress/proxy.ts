/** Agents that reach their targets through an HTTP proxy, by CONNECT (RFC 9110 section 9.3.6). */
import { Agent as HttpAgent, request, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { giveTime } from '../network/give-time.ts';
import { sharedLookup } from '../network/shared-lookup.ts';

interface Target {
  host: string;
  port: number | string;
}

type Connected = (error: Error | null, socket?: Socket) => void;

/** `limitMilliseconds`: how long the proxy may take to connect, and the target to answer the TLS handshake. */
export function proxyAgents(
  proxyUrl: string,
  options: AgentOptions,
  limitMilliseconds: number,
): { http: HttpAgent; https: HttpsAgent } {
  const tunnel = createTunnel(new URL(proxyUrl), limitMilliseconds);
  // The proxy resolves names.
  const { lookup: _, ...kept } = options as AgentOptions & { lookup?: unknown };
  const http = new HttpAgent(kept);
  const https = new HttpsAgent(kept);
  Object.assign(http, { createConnection: (target: Target, done: Connected) => tunnel(target, done) });
  Object.assign(https, {
    createConnection: (target: Target, done: Connected) =>
      tunnel(target, (error, socket) => {
        if (error || !socket) return done(error ?? new Error('The proxy gave no connection.'));
        const secure = connectTls({ socket, servername: target.host, ALPNProtocols: ['http/1.1'] });
        // A request that is given up meanwhile leaves its connection open: it does not have it yet.
        const endTimer = giveTime(limitMilliseconds, () => secure.destroy(timeout()));
        secure.once('close', endTimer);
        secure.once('secureConnect', () => {
          endTimer();
          done(null, secure);
        });
        secure.once('error', (failure) => done(failure));
      }),
  });
  return { http, https };
}

function createTunnel(proxy: URL, limitMilliseconds: number) {
  const credentials = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return function tunnel({ host, port }: Target, done: Connected): void {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const connecting = request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(credentials !== ':' && { 'proxy-authorization': authorization }) },
      timeout: limitMilliseconds,
      lookup: sharedLookup,
    });
    connecting.once('connect', (response, socket) => {
      if (response.statusCode === 200) return done(null, socket);
      socket.destroy();
      done(Object.assign(new Error('The proxy refused.'), { code: `PROXY_${response.statusCode}` }));
    });
    connecting.once('timeout', () => connecting.destroy(timeout()));
    connecting.once('error', (error) => done(error));
    connecting.end();
  };
}

const timeout = () => Object.assign(new Error(), { code: 'ETIMEDOUT' });
