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
  limitNumber(server, limits.maxConnections);
  if (limits.slowestReadBytes > 0) cutSlowReaders(server, limits);
}

interface ConnectionUse {
  /** The answers that are not sent yet. */
  responses: Set<ServerResponse>;
  /** Since when there are none. */
  idleSince: number;
}

/** A connection without a request for so long may be closed in favour of another, also one that sends half a head. */
const idleMilliseconds = 1000;
/** The part of all connections that is closed at once to make room. */
const closedShare = 0.1;
const pauseMilliseconds = 250;

/**
 * Not by `server.maxConnections`: of several processes, one that is full would hand the connection back, and it would go
 * round among them.
 */
function limitNumber(server: Server, maxConnections: number): void {
  const uses = new Map<Socket, ConnectionUse>();
  let madeRoomAt = -Infinity;

  function makeRoom(now: number): void {
    if (now - madeRoomAt < pauseMilliseconds) return;
    madeRoomAt = now;
    const idle = [...uses].filter(
      ([, { responses, idleSince }]) => responses.size === 0 && now - idleSince > idleMilliseconds,
    );
    idle.sort(([, a], [, b]) => a.idleSince - b.idleSince);
    for (const [socket] of idle.slice(0, Math.ceil(maxConnections * closedShare))) {
      uses.delete(socket);
      socket.destroy();
    }
  }

  server.on('connection', (socket: Socket) => {
    const now = performance.now();
    if (uses.size >= maxConnections) makeRoom(now);
    if (uses.size >= maxConnections) return void socket.destroy();
    const use: ConnectionUse = { responses: new Set(), idleSince: now };
    uses.set(socket, use);
    socket.once('close', () => {
      uses.delete(socket);
      closeUnsent(use.responses);
    });
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const use = uses.get(socket);
    if (!use) return;
    use.responses.add(response);
    response.once('close', () => {
      use.responses.delete(response);
      use.idleSince = performance.now();
    });
  });
}

/** Node closes only the answer whose turn it was, and not those to requests that were sent behind it. */
function closeUnsent(responses: Set<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket) continue;
    response.destroyed = true;
    response.emit('close');
  }
}

const exempt = new WeakSet<Socket>();

/** Event streams send little, and their readers have nothing to catch up with. */
export function allowSlowReading(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  exempt.add(socket);
  // The next answer on the connection may be a large one.
  response.once('close', () => exempt.delete(socket));
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
