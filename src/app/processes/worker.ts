/** The worker's side of a node with several processes. */
import type { Socket } from 'node:net';
import type { MetricsSnapshot } from '../../observe.ts';
import type { App } from '../start.ts';
import { openChannel, type Channel } from './channel.ts';
import { connectionMessage } from './shared-port.ts';
import type { Siblings, Topic } from './siblings.ts';

const metricsMilliseconds = 5000;

export interface WorkerEnd {
  siblings: Siblings;
  /** Tells the primary that this worker is ready, and from then on handles its requests. */
  report(app: App): void;
  /** Resolves when the primary asks for a stop, or has ended. */
  stopAsked: Promise<void>;
  /** Asks the primary to replace this worker. */
  retire(): void;
}

export function openWorkerEnd(count: number): WorkerEnd {
  const takers = new Map<Topic, () => Promise<void>>();
  let readSnapshot = async (): Promise<MetricsSnapshot> => [];
  let leave = (): void => {};
  let askStop: () => void;
  const stopAsked = new Promise<void>((resolve) => (askStop = resolve));
  const channel: Channel = openChannel(
    {
      // The primary may have ended: then 'disconnect' is emitted, and the message is not needed.
      send: (message) => process.connected && process.send!(message),
      onMessage: (take) => process.on('message', take),
    },
    {
      notified: (topic) => takers.get(topic as Topic)?.(),
      metrics: () => readSnapshot(),
      leave: () => leave(),
      stop: () => askStop(),
    },
  );
  process.on('disconnect', () => askStop());

  return {
    stopAsked,
    siblings: {
      count,
      notify: async (topic) => void (await channel.ask('notify', topic)),
      onNotified: (topic, take) => void takers.set(topic, take),
      takeConnections: (take) =>
        process.on('message', (message, socket?: Socket) => {
          // The caller may have left on the way.
          if (message !== connectionMessage || !socket) return;
          // As Node's HTTP server has it for the connections that it accepts itself.
          socket.allowHalfOpen = true;
          take(socket);
        }),
      readMetrics: async () => String((await channel.ask('metrics')) ?? ''),
    },
    retire: () => void channel.ask('retire'),
    report(app) {
      leave = app.leave;
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
