/** The worker's side of a node with several processes. */
import type { Socket } from 'node:net';
import { every, guarded, inBackground, type ReportError } from '../../monitoring/background.ts';
import type { MetricsSnapshot } from '../../monitoring/observe.ts';
import type { App } from '../start.ts';
import { isMessage, openChannel, type Channel } from './channel.ts';
import type { PassedMessage, TakenMessage } from './shared-port.ts';
import type { Siblings, Topic } from './siblings.ts';

/** To collect the figures takes some milliseconds. */
const metricsMilliseconds = 15_000;

interface WorkerEnd {
  siblings: Siblings;
  /** Tells the primary that this worker is ready, and from then on handles its requests. */
  report(app: App): void;
  /** Resolves when the primary asks for a stop, or has ended. */
  stopAsked: Promise<void>;
  /** Asks the primary to replace this worker. */
  retire(): void;
  /** At the end: what was counted since the primary last got the figures. */
  sendFigures(): Promise<void>;
}

/** Then 'disconnect' is emitted. */
function primaryHasEnded(): void {}

export function openWorkerEnd(count: number): WorkerEnd {
  const takers = new Map<Topic, () => Promise<void>>();
  let readSnapshot = async (): Promise<MetricsSnapshot> => [];
  let leave = (): void => {};
  // Until the app has its observer, an error ends the start.
  let reportError: ReportError = (error) => {
    throw error;
  };
  const report: ReportError = (error) => reportError(error);
  let askStop: () => void;
  const stopAsked = new Promise<void>((resolve) => (askStop = resolve));
  const channel: Channel = openChannel(
    {
      // The primary may have ended: then 'disconnect' is emitted, and the message is not needed.
      send: (message, onFailure) =>
        process.connected ? process.send!(message, undefined, undefined, (error) => error && onFailure()) : onFailure(),
      onMessage: (take) => process.on('message', take),
    },
    {
      notified: (topic) => takers.get(topic as Topic)?.(),
      metrics: () => readSnapshot(),
      leave: () => leave(),
      stop: () => askStop(),
    },
    report,
  );
  process.on('disconnect', () => askStop());

  return {
    stopAsked,
    siblings: {
      count,
      notify: async (topic) => void (await channel.ask('notify', topic)),
      onNotified: (topic, take) => void takers.set(topic, take),
      takeConnections: (take) =>
        process.on(
          'message',
          guarded((message: unknown, socket?: Socket) => {
            if (!isMessage<PassedMessage>(message, 'passed')) return;
            // Before anything is read from it: from then on no other worker can have it.
            if (process.connected) process.send!({ taken: message.passed } satisfies TakenMessage, primaryHasEnded);
            if (!socket) return;
            // As Node's HTTP server has it for the connections that it accepts itself.
            socket.allowHalfOpen = true;
            take(socket);
          }, report),
        ),
      readMetrics: async () => String((await channel.ask('metrics')) ?? ''),
    },
    sendFigures: async () => void (await channel.ask('snapshot', await readSnapshot())),
    // With its figures: it may end before it would send them again.
    retire: () => inBackground(async () => channel.ask('retire', await readSnapshot()), report),
    report({ url, demo, observer, ...app }) {
      leave = app.leave;
      readSnapshot = observer.readSnapshot;
      reportError = (error) => observer.observeDefect(error, 'channel');
      inBackground(() => channel.ask('ready', { url, demo }), report);
      // Counts since the last message are lost if the process is killed, but the sums never decrease.
      every(metricsMilliseconds, async () => channel.ask('snapshot', await readSnapshot()), report);
    },
  };
}
