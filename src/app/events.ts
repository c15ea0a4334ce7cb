/** Wires the events: the sequencer, the pull API and the removal of old events. */
import { secondsAfter } from '../clock.ts';
import { createEventLogStore } from '../events/event-log.store.ts';
import { createListEvents } from '../events/list-events.ts';
import { createSequencer } from '../events/sequencer.ts';
import type { Core } from './core.ts';

const removedAtOnce = 5000;

export function openEvents({ config, db, clock, jobs, traced }: Core) {
  const store = traced('events', createEventLogStore(db));
  const sequencer = createSequencer({ store, isAwaited: () => false });
  const keptSince = () => secondsAfter(clock.now(), -config.eventDays * 86_400);

  async function removeOld(): Promise<void> {
    while ((await store.removeBefore(keptSince(), removedAtOnce)) === removedAtOnce);
  }

  jobs.start(
    { name: 'event-sequencer', everyMilliseconds: 100, run: sequencer.run },
    { name: 'event-clean-up', everyMilliseconds: 600_000, run: removeOld },
  );
  return {
    services: {
      listEvents: createListEvents({ store, sequence: sequencer.sequence, clock, keepDays: config.eventDays }),
    },
  };
}
