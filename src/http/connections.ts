/** Limits on the connections of callers: their number, and how slowly one may read or send. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  maxConnections: number;
  /** A caller that reads its answer more slowly than this, for `slowReadSeconds`, is disconnected. */
  slowestReadBytes: number;
  slowReadSeconds: number;
}

/** Time limit for the remaining part of a body that is not read. After it the connection is closed. */
const restMilliseconds = 10_000;

/** How much of an answer had been read at the last check. */
interface Reading {
  takenBytes: number;
  since: number;
}

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  limitNumber(server, limits.maxConnections);
  if (limits.slowestReadBytes > 0) cutSlowReaders(server, limits);
}

interface ConnectionUse {
  /** The answers that have not been sent yet. */
  responses: Set<ServerResponse>;
  /** The time since which there are none. */
  idleSince: number;
}

/** A connection without a complete request for this long may be closed to make room for another one. */
const idleMilliseconds = 1000;
/** The share of all connections that is closed together to make room. */
const closedShare = 0.1;
const pauseMilliseconds = 250;

/**
 * `server.maxConnections` is not used: with several processes, a full process would hand the connection back, and it
 * would be passed around among them.
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

/** Node closes only the current answer, not those to the requests that were pipelined after it. */
function closeUnsent(responses: Set<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket) continue;
    response.destroyed = true;
    response.emit('close');
  }
}

const exempt = new WeakSet<Socket>();

/** Event streams send little, so a reader that takes few bytes is not slow. */
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

/** Bytes that were passed to the operating system, which buffers some of them for a slow reader. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/**
 * For requests that were answered before their body had arrived, such as one without a token. The remaining body is read
 * and dropped, so that a caller that sends everything before it reads gets the answer; Node would do so without a time
 * limit, and only if nothing of the body was read. One timer for all connections, since under overload there are
 * thousands of such requests a second; and one request for each connection, since the next one comes after the body.
 */
export function createRestLimit(server: Server): (request: IncomingMessage) => void {
  const rests = new Map<Socket, { request: IncomingMessage; since: number }>();
  const look = () => {
    const now = performance.now();
    for (const [socket, { request, since }] of rests) {
      if (request.complete || socket.destroyed) rests.delete(socket);
      else if (now - since >= restMilliseconds) socket.destroy();
    }
  };
  const timer = setInterval(look, restMilliseconds / 10).unref();
  server.on('close', () => clearInterval(timer));
  return (request) => {
    if (request.complete || request.destroyed) return;
    rests.set(request.socket, { request, since: performance.now() });
    request.resume();
  };
}
