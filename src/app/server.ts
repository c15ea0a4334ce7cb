/** Listens, and stops listening. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { errorCode } from '../db/database.ts';
import { StartError } from '../errors.ts';
import type { Observer } from '../observe.ts';

export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Returns how to stop: the requests in flight are waited for, but not for longer than it is told. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  stopSeconds = 0,
): Promise<() => Promise<void>> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(asStartError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return async () => {
    const timer = setTimeout(() => server.closeAllConnections(), stopSeconds * 1000);
    await new Promise((resolve) => server.close(resolve));
    clearTimeout(timer);
  };
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
