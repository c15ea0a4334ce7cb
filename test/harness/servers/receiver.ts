/** A receiver of webhooks: a real server that answers as it is told to. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from '../until.ts';

export interface ReceivedHook {
  path: string;
  headers: IncomingHttpHeaders & Record<string, string>;
  body: string;
  // oxlint-disable-next-line no-explicit-any -- tests read what they expect
  event: any;
}

/** Answers with a status, or in a way of its own. */
export type HookBehaviour =
  | number
  | ((hook: ReceivedHook, response: ServerResponse, request: IncomingMessage) => void | Promise<void>);

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver(behaviour: HookBehaviour = 200, certificate?: { key: string; cert: string }) {
  const hooks: ReceivedHook[] = [];
  const sockets = new Set<Socket>();
  let behave = behaviour;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const headers = request.headers as ReceivedHook['headers'];
    const hook = { path: request.url!, headers, body, event: JSON.parse(body) };
    hooks.push(hook);
    if (typeof behave === 'number') response.writeHead(behave).end();
    else await behave(hook, response, request);
  }

  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => response.destroy());
  const server = certificate ? createSecureServer(certificate, answer) : createServer(answer);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
  onTestFinished(stop);

  return {
    url: certificate ? `https://localhost:${port}/hooks` : `http://127.0.0.1:${port}/hooks`,
    hooks,
    stop,
    behave: (next: HookBehaviour) => void (behave = next),
    /** Waits until so many have arrived. */
    received: (count: number) => until(() => hooks.length >= count && hooks),
    ofType: (type: string) => hooks.filter(({ event }) => event.type === type),
  };
}
