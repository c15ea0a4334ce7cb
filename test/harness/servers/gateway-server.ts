/** Gateways of our own to test against: a real server that takes only what the real ones take, and misbehaves on demand. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  form: Record<string, string>;
  // oxlint-disable-next-line no-explicit-any -- tests read what they expect
  json: any;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An answer, or a way not to give one. */
export type Behaviour =
  | ((received: Received) => Answer | Promise<Answer>)
  | 'hang'
  | 'die'
  | 'half'
  | 'half-error'
  | 'garbage'
  | 'huge'
  | 'redirect';

export interface GatewayServer {
  url: string;
  received: Received[];
  /** How often somebody has connected. */
  connections(): number;
  /** Connections that are open now. */
  openConnections(): number;
  /** What the behaviour threw, such as an expectation about the request. */
  failure(): unknown;
  behave(behaviour: Behaviour): void;
  /** Closes the port, so that connections are refused; `start` opens it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** With a certificate it speaks TLS, as localhost. */
export async function gatewayServer(
  behaviour: Behaviour,
  certificate?: { key: string; cert: string },
): Promise<GatewayServer> {
  const received: Received[] = [];
  let connections = 0;
  let failure: unknown;
  const sockets = new Set<Socket>();
  let behave = behaviour;
  let server: Server | undefined;
  let port = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const one: Received = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body,
      form: Object.fromEntries(new URLSearchParams(body)),
      json: parsed(body),
    };
    received.push(one);
    if (behave === 'hang') return;
    if (behave === 'die') return void request.socket.destroy();
    if (behave === 'half' || behave === 'half-error') {
      const status = behave === 'half' ? 201 : 500;
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"sid":', () => request.socket.destroy());
      return;
    }
    if (behave === 'garbage') return void response.writeHead(200).end('<html>It works!</html>');
    if (behave === 'huge') return void response.writeHead(200).end('x'.repeat(1_000_000));
    if (behave === 'redirect') return void response.writeHead(307, { location: '/elsewhere' }).end();
    const answer = await behave(one);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  }

  async function start(): Promise<void> {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void handle(request, response).catch((error) => {
        failure = error;
        response.destroy();
      });
    server = certificate ? createSecureServer(certificate, answer) : createServer(answer);
    // Connections stay open until the client closes them.
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    if (server?.listening) await new Promise((resolve) => server!.close(resolve));
  }

  await start();
  onTestFinished(stop);
  return {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    openConnections: () => sockets.size,
    failure: () => failure,
    behave: (next) => {
      behave = next;
    },
    stop,
    start,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
