/** Wires the events: the sequencer, the pull API and the streams. */
import { inBackground } from '../monitoring/background.ts';
import { createEventLogStore } from '../events/event-log.store.ts';
import { createFindEvents } from '../events/find-events.ts';
import { createListEvents } from '../events/list-events.ts';
import { createLiveMessages } from '../events/live/live-messages.ts';
import { createLiveStore } from '../events/live/live.store.ts';
import { createLiveTransactions } from '../events/live/live-transactions.ts';
import { createEventStreams } from '../http/event-streams.ts';
import { createSequencer } from '../events/sequencer.ts';
import type { Core } from './core.ts';
import { reportWork } from './report-work.ts';
import { openWebhooks } from './webhooks.ts';

export function openEvents(core: Core) {
  const { config, db, clock, jobs, siblings, traced } = core;
  const store = traced('events', createEventLogStore(db));
  const wakeReaders = () => jobs.wake('webhook-dispatch', 'live-transactions', 'live-messages');
  const reportNotify = reportWork(core.observer, 'announce-events');
  const sequencer = createSequencer({
    store,
    clock,
    onSequenced() {
      wakeReaders();
      inBackground(() => siblings.notify('events'), reportNotify);
    },
  });
  siblings.onNotified('events', async () => wakeReaders());
  const { webhookEndpoints, renew } = openWebhooks(core, sequencer.sequence);
  const liveStore = traced('live', createLiveStore(db));
  const liveTransactions = createLiveTransactions({ store: liveStore, sequence: sequencer.sequence });
  const liveMessages = createLiveMessages({ store, sequence: sequencer.sequence, clock });
  const eventStreams = createEventStreams({ clock, stopping: core.stopping.signal });
  jobs.start({
    'event-sequencer': sequencer.run,
    'stray-events': async () => {
      while (await sequencer.sequence());
    },
    'live-transactions': liveTransactions.run,
    'live-messages': liveMessages.run,
    'event-streams': eventStreams.run,
  });
  return {
    services: {
      listEvents: createListEvents({
        store,
        sequence: sequencer.sequence,
        clock,
        keepDays: config.retentionDays.events,
      }),
      findEvents: createFindEvents(store, sequencer.sequence),
      webhookEndpoints,
      liveTransactions,
      liveMessages,
      eventStreams,
    },
    /** Called when the sandbox was emptied, or its clock was put back. */
    forget: renew,
  };
}
