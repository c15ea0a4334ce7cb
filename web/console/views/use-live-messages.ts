/**
 * Follows the changes of texts and verifications live, so that a view need not wait for its next refresh. `onEvents` gets
 * the events of the last second at once: under load there are hundreds.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { LedgerlineEvent } from '../../../client/index.ts';
import { followWhileVisible } from '../../data/follow-while-visible.ts';
import { useOperator } from '../operator.ts';

const collectMilliseconds = 1000;

export function useLiveMessages(onEvents: (events: readonly LedgerlineEvent[]) => void): void {
  const { followMessages } = useOperator();
  const latest = useRef(onEvents);
  latest.current = onEvents;
  useEffect(
    () =>
      followWhileVisible(async (signal) => {
        let collected: LedgerlineEvent[] = [];
        function pass(): void {
          const events = collected;
          collected = [];
          if (!signal.aborted) latest.current(events);
        }
        for await (const message of followMessages({ signal })) {
          if (message.kind !== 'event') continue;
          if (collected.length === 0) setTimeout(pass, collectMilliseconds);
          collected.push(message.event);
        }
      }),
    [followMessages],
  );
}

export function isAbout(events: readonly LedgerlineEvent[], userId: number): boolean {
  return events.some(({ data }) => 'userId' in data && data.userId === userId);
}
