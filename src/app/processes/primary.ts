/**
 * The primary of a node with several processes: it starts workers, watches over them and replaces them. It serves no
 * request and has no connection to the database, so that nothing a caller sends can end it.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground, type ReportError } from '../../monitoring/background.ts';
import { StartError } from '../../errors.ts';
import type { MetricsSnapshot, Observer } from '../../monitoring/observe.ts';
import { RestartDelay } from './restart-delay.ts';
import { openChannel, type Channel } from './channel.ts';
import { MetricsBook } from './metrics.ts';
import type { SharedPort } from './shared-port.ts';
import type { Topic } from './siblings.ts';
import type { Running } from '../start.ts';

interface PrimaryOptions {
  count: number;
  /** Environment variables of the workers, in addition to those of the primary. */
  environment: Record<string, string>;
  observer: Observer;
  port: SharedPort;
  /** How long a stop still accepts requests. */
  drainSeconds: number;
  /** A worker that has not ended this long after it was asked to stop is killed. */
  stopSeconds: number;
}

type Started = Pick<Running, 'url' | 'demo'>;

interface Member {
  worker: Worker;
  /** The number of the worker, which its replacement keeps. */
  place: number;
  channel: Channel;
  readyAt: number | undefined;
  /** Whether it was asked to stop, so that its end is not a failure. */
  isLeaving: boolean;
  /** Whether it was asked to stop. A worker that starts may miss the request, and is asked again. */
  isAskedToStop: boolean;
  exited: Promise<void>;
}

export class Primary {
  readonly #options: PrimaryOptions;
  readonly #metrics = new MetricsBook();
  readonly #members = new Map<number, Member>();
  readonly #delays: RestartDelay[];
  readonly #report: ReportError;
  #isStopping = false;
  #rolling: Promise<void> = Promise.resolve();

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#report = (error) => options.observer.observeDefect(error, 'primary');
    this.#delays = Array.from({ length: options.count }, () => new RestartDelay());
    // Metrics may contain NaN, which JSON does not support.
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /** The first worker starts alone: it empties and fills the sandbox and creates keys. If it fails, the start fails. */
  async start(fresh: boolean): Promise<Started> {
    const started = await this.#startWorker(0, fresh);
    const others = Array.from({ length: this.#options.count - 1 }, (_, index) => this.#startWorker(index + 1, false));
    await Promise.all(others);
    return started;
  }

  /**
   * Replaces the workers one by one. Each new worker serves before the old one stops. A second call waits for the
   * first.
   */
  roll(): Promise<void> {
    return this.#rollOver([...this.#members.values()]);
  }

  #rollOver(members: Member[]): Promise<void> {
    const rolling = this.#rolling.then(async () => {
      for (const member of members) {
        if (!(await this.#replace(member))) return;
      }
    });
    // The next one waits for this one, whether it succeeds or fails.
    this.#rolling = rolling.catch(() => undefined);
    return rolling;
  }

  /** False if the new worker did not start: then the old workers stay. */
  async #replace(member: Member): Promise<boolean> {
    if (this.#isStopping || !this.#members.has(member.worker.id)) return true;
    // From here on it is not restarted when it ends.
    member.isLeaving = true;
    try {
      await this.#startWorker(member.place, false);
    } catch {
      member.isLeaving = false;
      if (!this.#members.has(member.worker.id)) this.#background(() => this.#restart(member.place, 0));
      return false;
    }
    await this.#stopMember(member);
    return true;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const { port, drainSeconds } = this.#options;
    const members = [...this.#members.values()];
    if (port.isOpen) {
      for (const { channel } of members) this.#background(() => channel.ask('leave'));
      await sleep(drainSeconds * 1000);
      await port.close();
    }
    await Promise.all(members.map((member) => this.#stopMember(member)));
  }

  kill(): void {
    this.#isStopping = true;
    for (const { worker } of this.#members.values()) worker.process.kill('SIGKILL');
  }

  async readMetrics(): Promise<string> {
    this.#metrics.takeOfPrimary(await this.#options.observer.readSnapshot());
    await Promise.all(
      [...this.#members.values()].map(async ({ worker, channel }) => {
        const snapshot = await channel.ask('metrics');
        if (snapshot) this.#metrics.take(worker.id, snapshot as MetricsSnapshot);
      }),
    );
    return this.#metrics.text();
  }

  async #startWorker(place: number, fresh: boolean): Promise<Started> {
    cluster.setupPrimary({ args: ['serve', ...(fresh ? ['--fresh'] : [])] });
    const worker = cluster.fork(this.#options.environment);
    const { id, process: child } = worker;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    return new Promise<Started>((resolve, reject) => {
      const channel = openChannel(
        {
          send: (message, onFailure) =>
            worker.isConnected() ? worker.send(message, (error) => error && onFailure()) : onFailure(),
          onMessage: (take) => worker.on('message', take),
        },
        {
          ready: (started) => this.#admit(member, child.pid!).then(() => resolve(started as Started), reject),
          retire: (snapshot) => {
            this.#metrics.take(id, snapshot as MetricsSnapshot);
            return this.#rollOver([member]);
          },
          notify: (topic) => this.#notifyOthers(id, topic as Topic),
          metrics: () => this.readMetrics(),
          snapshot: (snapshot) => this.#metrics.take(id, snapshot as MetricsSnapshot),
        },
        this.#report,
      );
      const member: Member = {
        worker,
        place,
        channel,
        readyAt: undefined,
        isLeaving: false,
        isAskedToStop: false,
        exited,
      };
      this.#members.set(id, member);
      // The process could not be created, or a message could not be sent: an exit follows, or the start fails here.
      worker.on('error', (error) => {
        this.#report(error);
        if (child.pid === undefined) worker.emit('exit', 1, undefined);
      });
      // The last of its messages has been read; when it exits, some may not have been.
      worker.once('disconnect', () => this.#metrics.end(id));
      worker.once('exit', (code, signal) => {
        this.#onExit(member, code, signal);
        reject(new StartError(`A worker ended before it was ready (${signal ?? `exit code ${code}`}).`));
      });
    });
  }

  /** From here on the worker gets connections. If the port is taken it is not needed. */
  async #admit(member: Member, pid: number): Promise<void> {
    const { port, observer } = this.#options;
    if (member.isAskedToStop) return this.#tell(member);
    if (this.#isStopping || !this.#members.has(member.worker.id)) return;
    try {
      await port.add(member.worker);
    } catch (error) {
      observer.observe({ kind: 'job-failed', job: 'open-port', reason: (error as Error).message });
      this.#background(() => this.#stopMember(member));
      throw error;
    }
    member.readyAt = performance.now();
    observer.observe({ kind: 'worker-started', worker: member.place + 1, pid });
  }

  async #notifyOthers(sender: number, topic: Topic): Promise<void> {
    const others = [...this.#members.values()].filter(({ worker, readyAt }) => worker.id !== sender && readyAt);
    await Promise.all(others.map(({ channel }) => channel.ask('notified', topic)));
  }

  #onExit(member: Member, code: number | null, signal: string | null): void {
    const { worker, place, readyAt, isLeaving } = member;
    this.#members.delete(worker.id);
    this.#background(() => this.#options.port.remove(worker));
    const isExpected = isLeaving || this.#isStopping;
    const restartMilliseconds =
      isExpected || readyAt === undefined ? undefined : this.#delays[place]!.next(performance.now() - readyAt);
    this.#options.observer.observe({
      kind: 'worker-ended',
      worker: place + 1,
      pid: worker.process.pid!,
      isExpected,
      ...(signal ? { signal } : { code: code ?? 0 }),
      ...(restartMilliseconds !== undefined && { restartMilliseconds }),
    });
    if (restartMilliseconds !== undefined) this.#background(() => this.#restart(place, restartMilliseconds));
  }

  #background(work: () => Promise<unknown>): void {
    inBackground(work, this.#report);
  }

  async #restart(place: number, delayMilliseconds: number): Promise<void> {
    for (let delay = delayMilliseconds; !this.#isStopping; delay = this.#delays[place]!.next(0)) {
      await sleep(delay);
      if (this.#isStopping) return;
      const isUp = await this.#startWorker(place, false).then(
        () => true,
        () => false,
      );
      if (isUp) return;
    }
  }

  async #stopMember(member: Member): Promise<void> {
    member.isLeaving = true;
    await this.#options.port.remove(member.worker);
    this.#tell(member);
    const timer = setTimeout(() => member.worker.process.kill('SIGKILL'), this.#options.stopSeconds * 1000);
    await member.exited;
    clearTimeout(timer);
  }

  #tell(member: Member): void {
    member.isAskedToStop = true;
    this.#background(() => member.channel.ask('stop'));
  }
}
