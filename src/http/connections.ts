/** Limits on the connections of callers: their number, and how slowly one may read or send. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  maxConnections: number;
  /** A caller that reads its answer more slowly for so many seconds is cut off. */
  slowestReadBytes: number;
  slowReadSeconds: number;
}

/** The rest of a body that nobody reads arrives within this, or the connection is closed. */
const restMilliseconds = 10_000;

/** How much an answer's reader had taken when it was last looked at. */
interface Reading {
  takenBytes: number;
  since: number;
}

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  server.maxConnections = limits.maxConnections;
  makeRoom(server);
  if (limits.slowestReadBytes > 0) cutSlowReaders(server, limits);
}

/** A connection that has not sent anything for so long may be closed in favour of another. */
const silentMilliseconds = 1000;

/** When a connection was refused, idle ones are closed, so that the next one finds room. */
function makeRoom(server: Server): void {
  const openedAt = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    openedAt.set(socket, performance.now());
    socket.once('close', () => openedAt.delete(socket));
  });
  let lastTime = 0;
  server.on('drop', () => {
    const now = performance.now();
    if (now - lastTime < silentMilliseconds / 4) return;
    lastTime = now;
    server.closeIdleConnections();
    // Node takes a connection that has never sent anything for busy.
    for (const [socket, since] of openedAt) {
      if (socket.bytesRead === 0 && now - since > silentMilliseconds) socket.destroy();
    }
  });
}

const exempt = new WeakSet<Socket>();

/** Event streams send little, and their readers have nothing to catch up with. */
export function allowSlowReading({ socket }: ServerResponse): void {
  if (socket) exempt.add(socket);
}

/** One timer for all connections: one for each answer would cost more than most answers. */
function cutSlowReaders(server: Server, { slowestReadBytes, slowReadSeconds }: ConnectionLimits): void {
  const readings = new Map<Socket, Reading | undefined>();
  server.on('connection', (socket: Socket) => {
    readings.set(socket, undefined);
    socket.once('close', () => readings.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, reading] of readings) {
      if (socket.writableLength === 0 || exempt.has(socket)) readings.set(socket, undefined);
      else if (!reading) readings.set(socket, { takenBytes: takenBytes(socket), since: now });
      else if (now - reading.since >= slowReadSeconds * 1000) {
        const isTooSlow = takenBytes(socket) - reading.takenBytes < slowestReadBytes * slowReadSeconds;
        if (isTooSlow) socket.destroy();
        else readings.set(socket, undefined);
      }
    }
  };
  const timer = setInterval(look, (slowReadSeconds * 1000) / 4).unref();
  server.on('close', () => clearInterval(timer));
}

/** Handed to the operating system, which holds some of it for a slow reader. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/**
 * A request that was answered before its body had arrived, such as one without a token. Node reads and drops the rest,
 * for as long as it takes; here it has a time limit.
 */
export function limitRest(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), restMilliseconds);
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
