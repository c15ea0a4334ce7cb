/** Limits on the connections of callers: their number, and how slowly one may read. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { every, type ReportError } from '../../monitoring/background.ts';
import { networkOf } from '../../values/network.ts';
import type { ArrivingBodies } from './arriving-bodies.ts';

export interface ConnectionLimits {
  maxConnections: number;
  slowestRead?: SlowestRead | undefined;
}

/** A caller that reads its answer more slowly than this, on average over so many seconds, is disconnected. */
export interface SlowestRead {
  bytesPerSecond: number;
  seconds: number;
}

/** Slower than any connection in use, and with time for a phone that loses its network for a moment. */
const defaultSlowestRead: SlowestRead = { bytesPerSecond: 1024, seconds: 30 };

interface ConnectionTableOptions extends ConnectionLimits {
  bodies: ArrivingBodies;
  /** Whether an address is that of a trusted proxy, whose connections are those of many callers. */
  isProxy(address: string): boolean;
  report: ReportError;
}

interface Connection {
  /** The network that it counts toward; undefined for a trusted proxy. */
  network: string | undefined;
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
/** The share that one network may have: an address, or a /64 of IPv6. */
const networkShare = 0.5;
/** Connections beyond the limit, as a share of it. On them only health is answered. */
const spareShare = 0.05;

/**
 * `server.maxConnections` is not used: with several processes, a full process would hand the connection back, and it
 * would be passed around among them.
 */
export class ConnectionTable {
  readonly #options: ConnectionTableOptions;
  readonly #open = new Map<Socket, Connection>();
  /** The number of open connections of each network. */
  readonly #networks = new Map<string, number>();
  /** Oldest first. */
  readonly #spares = new Set<Socket>();
  /** When room was last made, for all and for each network that is full. */
  #madeRoomAt = new Map<string | undefined, number>();

  constructor(options: ConnectionTableOptions) {
    this.#options = options;
  }

  attach(server: Server): void {
    const { bodies, report, slowestRead = defaultSlowestRead } = this.#options;
    server.on('connection', (socket: Socket) => this.#take(socket));
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => this.#note(socket, response));
    bodies.attach(server, report);
    cutSlowReaders(server, slowestRead, report);
  }

  /** Whether it was accepted beyond the limit. It is closed after its answer. */
  isSpare(socket: Socket): boolean {
    return this.#spares.size > 0 && this.#spares.has(socket);
  }

  #take(socket: Socket): void {
    const now = performance.now();
    const address = socket.remoteAddress ?? '';
    const network = this.#options.isProxy(address) ? undefined : networkOf(address);
    if (this.#isFull()) this.#makeRoom(now);
    if (this.#isNetworkFull(network)) this.#makeRoom(now, network);
    if (this.#isFull() || this.#isNetworkFull(network)) this.#takeSpare(socket);
    else this.#admit(socket, { network, responses: new Set(), idleSince: now });
  }

  #isFull(): boolean {
    return this.#open.size >= this.#options.maxConnections;
  }

  #isNetworkFull(network: string | undefined): boolean {
    if (network === undefined) return false;
    return (this.#networks.get(network) ?? 0) >= this.#options.maxConnections * networkShare;
  }

  #admit(socket: Socket, connection: Connection): void {
    this.#open.set(socket, connection);
    this.#countNetwork(connection.network, 1);
    socket.once('close', () => {
      this.#remove(socket);
      closeUnsent(connection.responses);
    });
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    this.#open.delete(socket);
    this.#countNetwork(connection.network, -1);
  }

  #countNetwork(network: string | undefined, change: number): void {
    if (network === undefined) return;
    const count = (this.#networks.get(network) ?? 0) + change;
    if (count === 0) this.#networks.delete(network);
    else this.#networks.set(network, count);
  }

  /** A health check takes milliseconds, and so is answered however many connections are opened meanwhile. */
  #takeSpare(socket: Socket): void {
    const limit = Math.ceil(this.#options.maxConnections * spareShare);
    if (this.#spares.size >= limit) {
      const [oldest] = this.#spares;
      this.#spares.delete(oldest!);
      oldest!.destroy();
    }
    this.#spares.add(socket);
    socket.once('close', () => this.#spares.delete(socket));
  }

  #note(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.responses.add(response);
    response.once('close', () => {
      connection.responses.delete(response);
      connection.idleSince = performance.now();
    });
  }

  /** Bodies that arrive slowly make room first, the slowest before the others; then connections without a request. */
  #makeRoom(now: number, network?: string): void {
    if (now - (this.#madeRoomAt.get(network) ?? -Infinity) < pauseMilliseconds) return;
    if (this.#madeRoomAt.size > 1000) this.#madeRoomAt = new Map();
    this.#madeRoomAt.set(network, now);
    const isConcerned = (socket: Socket) => {
      const connection = this.#open.get(socket);
      return connection !== undefined && (network === undefined || connection.network === network);
    };
    const count = Math.ceil(this.#options.maxConnections * closedShare);
    const slow = this.#options.bodies.giveUpSlowest(count, now, isConcerned);
    for (const socket of slow) this.#remove(socket);
    const idle = [...this.#open]
      .filter(
        ([socket, { responses, idleSince }]) =>
          responses.size === 0 && now - idleSince > idleMilliseconds && isConcerned(socket),
      )
      .sort(([, a], [, b]) => a.idleSince - b.idleSince);
    for (const [socket] of idle.slice(0, count - slow.length)) {
      this.#remove(socket);
      socket.destroy();
    }
  }
}

/** Node 20 closes only the current answer, not those to the requests that were pipelined after it. */
function closeUnsent(responses: Set<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket) continue;
    response.destroyed = true;
    response.emit('close');
  }
}

/** How much of an answer had been read at the last check. */
interface Reading {
  takenBytes: number;
  since: number;
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
function cutSlowReaders(server: Server, { bytesPerSecond, seconds }: SlowestRead, report: ReportError): void {
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
      else if (now - reading.since >= seconds * 1000) {
        const isTooSlow = takenBytes(socket) - reading.takenBytes < bytesPerSecond * seconds;
        if (isTooSlow) socket.destroy();
        else readings.set(socket, undefined);
      }
    }
  };
  const timer = every((seconds * 1000) / 4, look, report);
  server.on('close', () => clearInterval(timer));
}

/** Bytes that were passed to the operating system, which buffers some of them for a slow reader. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
