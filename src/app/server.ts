/** Starts and stops listening. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createNetServer, type Server as NetServer, type ServerOpts, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inBackground, type ReportError } from '../monitoring/background.ts';
import { errorCode } from '../db/failures.ts';
import { StartError } from '../errors.ts';
import type { Observer } from '../monitoring/observe.ts';

export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const reportMilliseconds = 1000;
const closeIdleMilliseconds = 100;
/** A new connection without a request is kept for this long, since its first request may be on the way. */
const silentMilliseconds = 1000;

/** Accepts connections. */
export interface OpenPort {
  /** Accepts no more connections. Those that were accepted stay open. */
  close(): Promise<void>;
}

/** The options that Node's HTTP server has for its connections. */
const httpOptions: ServerOpts = { allowHalfOpen: true, noDelay: true };

interface PortOptions extends ServerOpts {
  /** Called when a connection cannot be accepted, such as for want of file descriptors: at most once a second. */
  report?: ReportError;
  /** The setting that an error of the start names. */
  portSetting?: string;
}

export async function openPort(
  host: string,
  port: number,
  take: (socket: Socket) => void,
  { report = () => {}, portSetting = 'PORT', ...options }: PortOptions = {},
): Promise<OpenPort> {
  const server = createNetServer({ ...httpOptions, ...options }, take);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(asStartError(error, host, port, portSetting)));
    server.listen(port, host, resolve);
  });
  let reportedAt = -Infinity;
  server.on('error', (error) => {
    if (performance.now() - reportedAt < reportMilliseconds) return;
    reportedAt = performance.now();
    report(error);
  });
  return { close: () => closePort(server) };
}

/** Fails at once if the port is taken, and not only when the database has been made. Port 0 is any free one. */
export async function checkPort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const open = await openPort(host, port, (socket) => socket.destroy());
  await open.close();
}

/** Turns of the event loop. Each takes one connection, so this is more than the queue of the operating system has. */
const longestQueue = 1000;

/** The operating system resets the connections that still wait in its queue when a port is closed: they are taken first. */
async function closePort(server: NetServer): Promise<void> {
  if (!server.listening) return;
  let hasTaken = true;
  server.on('connection', () => (hasTaken = true));
  for (let turn = 0; hasTaken && turn < longestQueue; turn += 1) {
    hasTaken = false;
    // The event loop looks for connections between the two.
    await nextTurn();
    await nextTurn();
  }
  server.close();
}

interface StopLimits {
  /** A connection that is not used for this long is closed. Before, only one that has got an answer. */
  idleSeconds: number;
  /** Requests that take longer than this are cut off. */
  stopSeconds: number;
}

export interface Connections {
  take(socket: Socket): void;
  /** Waits until all connections are closed. */
  end(limits: StopLimits): Promise<void>;
}

/** The connections of a server that does not listen itself: those of a port, or those that the primary passes on. */
export function takeConnections(server: Server): Connections {
  /** The time when each open connection was established. */
  const established = new Map<Socket, number>();
  let onClosed = (): void => {};
  server.on('connection', (socket: Socket) => {
    established.set(socket, performance.now());
    socket.once('close', () => {
      established.delete(socket);
      onClosed();
    });
  });
  // From this event on Node applies the time limits of connections.
  server.emit('listening');
  return {
    take: (socket) => void server.emit('connection', socket),
    async end({ idleSeconds, stopSeconds }) {
      const closeAll = () => established.forEach((_, socket) => socket.destroy());
      const timer = setTimeout(closeAll, stopSeconds * 1000);
      const idleSince = performance.now() + idleSeconds * 1000;
      const closeIdle = () => performance.now() >= idleSince && closeUnused(server, established);
      // After the event loop has read what has arrived: the process may have been away for long enough.
      const idleTimer = setInterval(() => setImmediate(closeIdle), closeIdleMilliseconds);
      setImmediate(closeIdle);
      await new Promise<void>((resolve) => {
        onClosed = () => established.size === 0 && resolve();
        onClosed();
      });
      clearInterval(idleTimer);
      clearTimeout(timer);
      server.close();
    },
  };
}

/** Node closes idle connections only once, and treats one that has never sent anything as busy. */
function closeUnused(server: Server, connections: ReadonlyMap<Socket, number>): void {
  server.closeIdleConnections();
  const oldest = performance.now() - silentMilliseconds;
  for (const [socket, since] of connections) if (socket.bytesRead === 0 && since < oldest) socket.destroy();
}

function asStartError(error: unknown, host: string, port: number, portSetting: string): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what listens there, or set ${portSetting} to another port.`,
    EACCES: `Port ${port} needs more rights than this user has. Set ${portSetting} to one above 1023.`,
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
    inBackground(
      async () => {
        const text = await observer.metrics();
        response.writeHead(200, { 'content-type': observer.metricsContentType }).end(text);
      },
      (error) => {
        observer.observeDefect(error, 'metrics');
        response.destroy();
      },
    );
  });
  const connections = takeConnections(server);
  const metricsPort = await openPort(host, port, connections.take, { portSetting: 'LEDGERLINE_METRICS_PORT' });
  return async () => {
    await metricsPort.close();
    await connections.end({ idleSeconds: 0, stopSeconds: 0 });
  };
}
