/** The event streams that are open in this process: their share, their heartbeat and their end. */
import { Readable } from 'node:stream';
import type { Caller } from '../auth/caller.ts';
import type { Clock } from '../values/clock.ts';
import { runningShare, type Owner } from '../sharing/slots.ts';
import { tooManyStreams } from '../errors.ts';
import { eventStreamType, streamComment, writeStreamMessage, writeStreamRetry } from '../formats/event-stream.ts';
import type { StreamMessage } from '../formats/event-stream.ts';
import type { Reply } from './operation.ts';

interface EventStream {
  send(message: StreamMessage): void;
  end(): void;
  /** The answer, after its source has started. The source is stopped when the stream has ended, for any reason. */
  replyAfter(source: Promise<() => void>): Promise<Reply>;
}

interface EventStreamsOptions {
  clock: Clock;
  /** Aborted when the service begins to stop: readers then connect to another process. */
  stopping: AbortSignal;
}

/** For one subject and topic. */
const maxStreamsPerTopic = 3;
/** Maximum number in a process; each keeps a connection open. One caller has a share of them. */
const maxStreams = 5000;
const retryAfterSeconds = 15;
const commentMilliseconds = 14_500;
/** A stream with this much unread text is closed. */
const unreadCharacters = 65_536;
/** Random within these bounds, so that the readers of a process that stops do not all reconnect at the same time. */
const reconnectMilliseconds = { min: 2000, max: 5000 };

const headers = {
  'cache-control': 'no-store',
  // Otherwise nginx would buffer the messages.
  'x-accel-buffering': 'no',
};

export type EventStreams = ReturnType<typeof createEventStreams>;

interface OpenStream {
  /** What it counts toward: its subject with its topic, and its caller. */
  keys: string[];
  expiresAt: Date;
  body: Readable;
  /** `body` emits its own end only after everything has been read. */
  isEnded: boolean;
  commentedAt: number;
}

export function createEventStreams({ clock, stopping }: EventStreamsOptions) {
  const open = new Set<OpenStream>();
  const counts = new Map<string, number>();

  function release(stream: OpenStream): void {
    if (!open.delete(stream)) return;
    for (const key of stream.keys) count(key, -1);
  }

  function count(key: string, change: number): void {
    const number = (counts.get(key) ?? 0) + change;
    if (number === 0) counts.delete(key);
    else counts.set(key, number);
  }

  function hasRoom(topic: string, { key, kind }: Owner): boolean {
    return (
      open.size < maxStreams &&
      (counts.get(topic) ?? 0) < maxStreamsPerTopic &&
      (counts.get(key) ?? 0) < runningShare[kind](maxStreams)
    );
  }

  function push({ body, isEnded }: OpenStream, text: string): void {
    if (body.destroyed || isEnded) return;
    if (body.readableLength > unreadCharacters) body.destroy();
    else body.push(text);
  }

  function end(stream: OpenStream): void {
    if (!stream.body.destroyed && !stream.isEnded) stream.body.push(null);
    stream.isEnded = true;
  }

  stopping.addEventListener('abort', () => {
    for (const stream of open) end(stream);
  });

  return {
    /** Opens a stream for a caller; `about` names its topic. It counts toward the limits until it ends. */
    open({ subject, expiresAt }: Caller, owner: Owner, about: string): EventStream {
      const topic = `${about} of ${subject}`;
      if (!hasRoom(topic, owner)) throw tooManyStreams(retryAfterSeconds);
      const keys = [topic, owner.key];
      const body = new Readable({ read() {} });
      const stream: OpenStream = { keys, expiresAt, body, isEnded: false, commentedAt: performance.now() };
      open.add(stream);
      for (const key of keys) count(key, 1);
      stream.body.once('close', () => release(stream));
      const { min, max } = reconnectMilliseconds;
      stream.body.push(writeStreamRetry(min + Math.random() * (max - min)));
      return {
        send(message) {
          push(stream, writeStreamMessage(message));
          if (stopping.aborted) end(stream);
        },
        end: () => end(stream),
        async replyAfter(source) {
          try {
            const stop = await source;
            if (stream.body.destroyed) stop();
            else stream.body.once('close', stop);
          } catch (error) {
            stream.body.destroy();
            throw error;
          }
          return { status: 200, body: stream.body, contentType: eventStreamType, headers };
        },
      };
    },

    /** Sends heartbeat comments and ends expired streams. True if there are streams. */
    async run(): Promise<boolean> {
      const now = clock.now();
      for (const stream of open) {
        if (stream.expiresAt <= now) {
          push(stream, writeStreamMessage({ event: 'expired', data: '{}' }));
          end(stream);
        } else if (performance.now() - stream.commentedAt >= commentMilliseconds) {
          stream.commentedAt = performance.now();
          push(stream, streamComment);
        }
      }
      return open.size > 0;
    },
  };
}
