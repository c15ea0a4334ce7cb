/** The worker's side of a node with several processes. */
import type { MetricsSnapshot } from '../../observe.ts';
import type { App } from '../start.ts';
import { openChannel, type Channel } from './channel.ts';
import type { Siblings, Topic } from './siblings.ts';

const metricsMilliseconds = 5000;

export interface WorkerEnd {
  siblings: Siblings;
  /** Tells the primary that this worker is ready, and from then on handles its requests. */
  report(app: App): void;
  /** Resolves when the primary asks for a stop, or has ended. */
  stopAsked: Promise<{ isReplaced: boolean }>;
}

export function openWorkerEnd(count: number): WorkerEnd {
  const takers = new Map<Topic, () => Promise<void>>();
  let readSnapshot = async (): Promise<MetricsSnapshot> => [];
  let askStop: (how: { isReplaced: boolean }) => void;
  const stopAsked = new Promise<{ isReplaced: boolean }>((resolve) => (askStop = resolve));
  const channel: Channel = openChannel(
    {
      // The primary may have ended: then 'disconnect' is emitted, and the message is not needed.
      send: (message) => process.connected && process.send!(message),
      onMessage: (take) => process.on('message', take),
    },
    {
      notified: (topic) => takers.get(topic as Topic)?.(),
      metrics: () => readSnapshot(),
      stop: (how) => askStop(how as { isReplaced: boolean }),
    },
  );
  process.on('disconnect', () => askStop({ isReplaced: false }));

  return {
    stopAsked,
    siblings: {
      count,
      notify: async (topic) => void (await channel.ask('notify', topic)),
      onNotified: (topic, take) => void takers.set(topic, take),
      readMetrics: async () => String((await channel.ask('metrics')) ?? ''),
    },
    report(app) {
      readSnapshot = app.observer.readSnapshot;
      const { url, demo } = app;
      void channel.ask('ready', { url, demo });
      // Counts since the last message are lost if the process is killed, but the sums never decrease.
      setInterval(
        () => void readSnapshot().then((snapshot) => channel.ask('snapshot', snapshot)),
        metricsMilliseconds,
      ).unref();
    },
  };
}
