/**
 * The bodies that are arriving: how long each may take, and how slow it may be. A stream of rows, whose sender has a
 * token, is not watched, since the service itself holds it back; nor is a body that still waits to be read.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { every, type ReportError } from '../../monitoring/background.ts';

/** For callers with a token. */
export const bodyMilliseconds = 60_000;
/** For requests without a token, such as one for a token, or a receipt: their bodies are small. */
export const anonymousBodyMilliseconds = 5000;
/** For the remaining part of a body whose request was answered. It is read and dropped. */
const restMilliseconds = 10_000;

/** A body that takes longer must have arrived at this rate on average. */
const graceMilliseconds = 5000;
const slowestBytesPerSecond = 1024;

/** If connections are needed, slower bodies make room. A faster one is an upload that will end. */
const pressedBytesPerSecond = 16_384;
const pressedGraceMilliseconds = 1000;

const lookMilliseconds = 500;
const longestPauseMilliseconds = 3 * lookMilliseconds;

interface ArrivingBody {
  request: IncomingMessage;
  socket: Socket;
  since: number;
  limitMilliseconds: number;
  /** What has arrived of it. */
  bytes(): number;
  giveUp(): void;
}

/** One timer for all: under overload there are thousands of requests a second. */
export class ArrivingBodies {
  /** One for each connection, since the next request comes after the body. */
  readonly #bodies = new Map<Socket, ArrivingBody>();
  #lookedAt = performance.now();

  attach(server: Server, report: ReportError): void {
    const timer = every(lookMilliseconds, () => this.#look(performance.now()), report);
    server.on('close', () => clearInterval(timer));
  }

  /** Calls `giveUp` if the body is late or too slow. The returned function ends the watch. */
  watch(
    request: IncomingMessage,
    { limitMilliseconds, bytes, giveUp }: Pick<ArrivingBody, 'limitMilliseconds' | 'bytes' | 'giveUp'>,
  ): () => void {
    const { socket } = request;
    const body: ArrivingBody = { request, socket, since: performance.now(), limitMilliseconds, bytes, giveUp };
    this.#bodies.set(socket, body);
    return () => {
      if (this.#bodies.get(socket) === body) this.#bodies.delete(socket);
    };
  }

  /**
   * For requests that are answered before their body has arrived, such as one without a token. The rest is read and
   * dropped, so that a caller that sends everything before it reads gets the answer. Node would do so without a time
   * limit, and only if nothing of the body was read.
   */
  drop(request: IncomingMessage): void {
    if (request.complete || request.destroyed) return;
    const { socket } = request;
    const bytesBefore = socket.bytesRead;
    this.watch(request, {
      limitMilliseconds: restMilliseconds,
      bytes: () => socket.bytesRead - bytesBefore,
      giveUp: () => socket.destroy(),
    });
    request.resume();
  }

  /** Gives up the slowest ones of these connections, and returns their connections. */
  giveUpSlowest(count: number, now: number, isEligible: (socket: Socket) => boolean): Socket[] {
    const slow = [...this.#bodies.values()]
      .filter(
        (body) =>
          !hasEnded(body) &&
          now - body.since >= pressedGraceMilliseconds &&
          rateOf(body, now) < pressedBytesPerSecond &&
          isEligible(body.socket),
      )
      .sort((a, b) => rateOf(a, now) - rateOf(b, now))
      .slice(0, count);
    for (const body of slow) this.#giveUp(body);
    return slow.map(({ socket }) => socket);
  }

  #look(now: number): void {
    const hasPaused = now - this.#lookedAt > longestPauseMilliseconds;
    this.#lookedAt = now;
    // Timers run before sockets are read: what arrived while the process paused has not been counted yet.
    if (hasPaused) return;
    for (const body of this.#bodies.values()) {
      if (hasEnded(body)) this.#bodies.delete(body.socket);
      else if (isTooSlow(body, now)) this.#giveUp(body);
    }
  }

  #giveUp(body: ArrivingBody): void {
    this.#bodies.delete(body.socket);
    body.giveUp();
  }
}

function hasEnded({ request, socket }: ArrivingBody): boolean {
  return request.complete || socket.destroyed;
}

function isTooSlow(body: ArrivingBody, now: number): boolean {
  const milliseconds = now - body.since;
  if (milliseconds >= body.limitMilliseconds) return true;
  return milliseconds >= graceMilliseconds && rateOf(body, now) < slowestBytesPerSecond;
}

/** In bytes a second. */
function rateOf(body: ArrivingBody, now: number): number {
  return (body.bytes() * 1000) / (now - body.since);
}
