/** Starts and stops listening. */
import { createServer as createHttpServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode } from '../db/failures.ts';
import { StartError } from '../errors.ts';
import type { Observer } from '../observe.ts';

export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const closeIdleMilliseconds = 100;
/** A new connection without a request is kept for this long, since its first request may be on the way. */
const silentMilliseconds = 1000;

/** Returns a function that stops the server. It waits for the requests in flight, but no longer than the given time. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  stopSeconds = 0,
): Promise<() => Promise<void>> {
  const connections = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(asStartError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return async () => {
    const timer = setTimeout(() => server.closeAllConnections(), stopSeconds * 1000);
    const idleTimer = setInterval(() => closeUnused(server, connections), closeIdleMilliseconds);
    await new Promise((resolve) => server.close(resolve));
    clearInterval(idleTimer);
    clearTimeout(timer);
  };
}

/** The time when each open connection was established. */
function trackConnections(server: Server): Map<Socket, number> {
  const connections = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/** Node closes idle connections only once, and treats one that has never sent anything as busy. */
function closeUnused(server: Server, connections: ReadonlyMap<Socket, number>): void {
  server.closeIdleConnections();
  const oldest = performance.now() - silentMilliseconds;
  for (const [socket, since] of connections) if (socket.bytesRead === 0 && since < oldest) socket.destroy();
}

function asStartError(error: unknown, host: string, port: number): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another port.`,
    EACCES: `Port ${port} needs more rights than this user has. Set PORT to one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one it has, such as 127.0.0.1.`,
    ENOTFOUND: `HOST ${host} is not an address of this machine. Set it to one, such as 127.0.0.1.`,
  };
  const reason = reasons[errorCode(error)];
  return reason ? new StartError(reason) : error;
}

export async function serveMetrics(observer: Observer, host: string, port: number): Promise<() => Promise<void>> {
  const server = createHttpServer((request, response) => {
    const found = request.method === 'GET' && request.url === '/metrics';
    if (!found) return void response.writeHead(404).end();
    observer.metrics().then(
      (text) => response.writeHead(200, { 'content-type': observer.metricsContentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return listen(server, host, port);
}
