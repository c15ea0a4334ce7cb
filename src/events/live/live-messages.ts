/** Follows the events about texts and verifications from a cursor on, for the operator's message log. */
import type { Clock } from '../../values/clock.ts';
import type { EventType } from '../catalogue.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { writeEvent } from '../event.ts';
import type { EventLogStore, LogPage } from '../event-log.store.ts';

const types: EventType[] = [
  'phone.code_sent',
  'phone.send_failed',
  'phone.delivery_changed',
  'phone.verified',
  'phone.changed',
  'phone.unlinked',
  'phone.verification_blocked',
  'phone.block_lifted',
];

export interface MessageFollower {
  /** The position at which the follower begins. */
  onStart(cursor: string): void;
  /** JSON text of an event, and the cursor after it. */
  onEvent(event: string, cursor: string): void;
}

export interface LiveMessagesOptions {
  store: Pick<EventLogStore, 'readPage' | 'isLocalEventWaiting'>;
  sequence(): Promise<unknown>;
  clock: Clock;
}

export type LiveMessages = ReturnType<typeof createLiveMessages>;

const pageSize = 200;
const endOfTime = Number.MAX_SAFE_INTEGER;

export function createLiveMessages({ store, sequence, clock }: LiveMessagesOptions) {
  const positions = new Map<MessageFollower, number>();

  const readAfter = (afterPosition: number): Promise<LogPage> =>
    store.readPage({ types, userId: undefined, afterPosition, keptSince: new Date(0), limit: pageSize });

  async function read(follower: MessageFollower): Promise<void> {
    const page = await readAfter(positions.get(follower)!);
    if (!positions.has(follower)) return;
    for (const event of page.events) {
      follower.onEvent(writeEvent(event), writeCursor({ generation: page.generation, ...event }));
    }
    const isFull = page.events.length === pageSize;
    positions.set(follower, isFull ? page.events.at(-1)!.position : page.lastPosition);
  }

  return {
    /** Follows from an earlier cursor if it fits the log, otherwise from now on. Returns a function that stops it. */
    async follow(after: string | undefined, follower: MessageFollower): Promise<() => void> {
      await sequence();
      const { generation, lastPosition } = await readAfter(endOfTime);
      const given = after === undefined ? undefined : readCursor(after);
      const fits = given?.generation === generation && given.position <= lastPosition;
      const position = fits ? given.position : lastPosition;
      follower.onStart(fits ? after! : writeCursor({ generation, position, at: clock.now() }));
      positions.set(follower, position);
      return () => void positions.delete(follower);
    },

    async run(): Promise<void> {
      if (positions.size === 0) return;
      if (await store.isLocalEventWaiting()) await sequence();
      for (const follower of positions.keys()) await read(follower);
    },
  };
}
