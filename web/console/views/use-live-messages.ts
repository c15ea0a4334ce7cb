/** Follows the changes of texts and verifications live, so that a view need not wait for its next refresh. */
import { useEffect, useRef } from 'preact/hooks';
import type { LedgerlineEvent } from '../../../client/index.ts';
import { followWhileVisible } from '../../data/follow-while-visible.ts';
import { useOperator } from '../operator.ts';

export function useLiveMessages(onEvent: (event: LedgerlineEvent) => void): void {
  const { followMessages } = useOperator();
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(
    () =>
      followWhileVisible(async (signal) => {
        for await (const message of followMessages({ signal })) {
          if (message.kind === 'event') latest.current(message.event);
        }
      }),
    [followMessages],
  );
}

export function isAbout({ data }: LedgerlineEvent, userId: number): boolean {
  return 'userId' in data && data.userId === userId;
}
