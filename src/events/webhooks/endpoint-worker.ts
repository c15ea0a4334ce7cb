/**
 * Delivers to one endpoint, under a lease. It starts no request after the lease has expired, and its writes are refused
 * if another process has the lease: see docs/decisions/0004-events.md.
 */
import { secondsAfter, type Clock } from '../../values/clock.ts';
import type { PostAnswer, Poster } from '../../egress/poster.ts';
import type { Observe } from '../../monitoring/observe.ts';
import { causeOf } from '../../errors.ts';
import { oneByOne } from '../../sharing/one-by-one.ts';
import { writeEvent } from '../event.ts';
import type { DeliveriesStore, DeliveryOutcome, DueDelivery, Lease } from './deliveries.store.ts';
import type { EndpointsStore } from './endpoints.store.ts';
import type { HostLimits } from './host-limits.ts';
import { Pace, type PaceLimits } from './pace.ts';
import { failureOf, healthAfter, judgeAnswer, nextTrySeconds } from './retry.ts';
import type { SecretBox } from './secret.ts';
import { signDelivery } from './sign.ts';

export interface WorkerParts {
  deliveries: Pick<DeliveriesStore, 'readDue' | 'mark'>;
  endpoints: Pick<EndpointsStore, 'readTarget'>;
  box: SecretBox;
  createPoster(): Poster;
  clock: Clock;
  /** The machine's clock: receivers compare the timestamp of a signature with theirs. */
  machineNow(): Date;
  observe: Observe;
  limits: PaceLimits;
  hosts: HostLimits;
}

/** Number of deliveries that are read together. One endpoint has at most a few times as many in memory. */
const pageSize = 100;
/** How long outcomes are collected before they are written together. */
const flushMilliseconds = 10;
const flushSize = 100;
const retryFlushMilliseconds = 500;

interface Target {
  url: string;
  host: string;
  secrets: string[];
}

export class EndpointWorker {
  readonly lease: Pick<Lease, 'endpointId' | 'epoch'>;
  readonly #parts: WorkerParts;
  readonly #onDisabled: () => void;
  readonly #poster: Poster;
  readonly #pace: Pace;
  readonly #inFlight = new Map<DueDelivery, Promise<void>>();
  #queue: DueDelivery[] = [];
  #outcomes: DeliveryOutcome[] = [];
  /** Outcomes that are being written. */
  #marking: DeliveryOutcome[] = [];
  #target: Target | undefined;
  #failingSince: Date | null = null;
  #disableReason: string | undefined;
  /** A time of the monotonic clock. */
  #leasedUntil = 0;
  #isStopped = false;
  #isDrained = true;
  #filling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushTimer: NodeJS.Timeout | undefined;

  /** `onDisabled` is called when the worker has disabled its endpoint and has nothing left to do. */
  constructor(lease: Pick<Lease, 'endpointId' | 'epoch'>, parts: WorkerParts, onDisabled: () => void) {
    this.lease = lease;
    this.#onDisabled = onDisabled;
    this.#parts = parts;
    this.#poster = parts.createPoster();
    this.#pace = new Pace(parts.limits);
  }

  extendLease(until: number): void {
    this.#leasedUntil = until;
  }

  /** Called when a delivery is due. */
  wake(): void {
    this.#isDrained = false;
    this.#pump();
  }

  /** Starts no more requests, waits a while for those in flight, and writes their outcomes. */
  async stop(waitMilliseconds: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#filling;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, waitMilliseconds)));
    await Promise.race([Promise.all(this.#inFlight.values()), late]);
    clearTimeout(timer);
    await this.#flush();
    this.#end();
  }

  /** Called when the lease is lost: the deliveries in progress now belong to another process. */
  abandon(): void {
    this.#isStopped = true;
    this.#outcomes = [];
    this.#end();
  }

  #end(): void {
    if (this.#target) this.#parts.hosts.leave(this.#target.host, this.#resume);
    clearTimeout(this.#timer);
    clearTimeout(this.#flushTimer);
    this.#queue = [];
    this.#poster.close();
  }

  get #maySend(): boolean {
    return !this.#isStopped && this.#disableReason === undefined && performance.now() < this.#leasedUntil;
  }

  readonly #resume = (): void => this.#pump();

  #pump(): void {
    clearTimeout(this.#timer);
    while (this.#maySend && this.#inFlight.size < this.#pace.inFlightLimit) {
      const index = this.#queue.findIndex(({ event }) => !this.#isBusy(event.userId));
      if (index < 0) break;
      const now = performance.now();
      const { host } = this.#target!;
      const hostWait = this.#parts.hosts.wait(host, now, this.#resume);
      if (hostWait === undefined) break;
      const wait = Math.max(hostWait, this.#pace.wait(now));
      if (wait > 0) {
        this.#timer = setTimeout(this.#resume, wait).unref();
        break;
      }
      this.#pace.start(now);
      this.#parts.hosts.start(host, now);
      const [delivery] = this.#queue.splice(index, 1);
      this.#inFlight.set(delivery!, this.#deliverOrReport(delivery!));
    }
    if (this.#maySend && !this.#isDrained && this.#queue.length < pageSize / 4) this.#fill();
  }

  /** Only one event of a user is in flight, so that first tries arrive in order. */
  #isBusy(userId: number | null): boolean {
    if (userId === null) return false;
    for (const { event } of this.#inFlight.keys()) if (event.userId === userId) return true;
    return false;
  }

  #fill(): void {
    if (this.#filling) return;
    const done = (): void => {
      this.#filling = undefined;
      this.#pump();
    };
    const failed = (error: unknown): void => {
      this.#report(error);
      // The next wake reads again.
      this.#isDrained = true;
      done();
    };
    this.#filling = this.#readDue().then(done, failed);
  }

  async #readDue(): Promise<void> {
    const { deliveries, endpoints, clock } = this.#parts;
    const { endpointId } = this.lease;
    const now = clock.now();
    const inHand = [...this.#queue, ...this.#inFlight.keys(), ...this.#outcomes, ...this.#marking];
    const [target, due] = await Promise.all([
      endpoints.readTarget(endpointId, now),
      deliveries.readDue(
        endpointId,
        inHand.map(({ id }) => id),
        pageSize,
        now,
      ),
    ]);
    this.#isDrained = due.length < pageSize;
    const secrets =
      target?.secrets.flatMap(({ sealed }) => this.#parts.box.open(sealed, endpointId)?.secret ?? []) ?? [];
    if (target && secrets.length === 0 && due.length > 0) this.#observeFailure('secret-unreadable');
    if (!target || secrets.length === 0 || this.#isStopped) return void (this.#queue = []);
    // While there are requests or outcomes in progress, the worker's own state is newer. A new URL resets the state.
    const isBusy = this.#outcomes.length + this.#marking.length + this.#inFlight.size > 0;
    if (!isBusy || target.url !== this.#target?.url) this.#failingSince = target.failingSince;
    this.#target = { url: target.url, host: new URL(target.url).hostname, secrets };
    this.#queue.push(...due);
  }

  /** A delivery that fails here, and not at its receiver, stays due. */
  async #deliverOrReport(delivery: DueDelivery): Promise<void> {
    const { host } = this.#target!;
    try {
      await this.#deliver(delivery);
    } catch (error) {
      this.#report(error);
    } finally {
      this.#inFlight.delete(delivery);
      this.#parts.hosts.end(host);
    }
    this.#pump();
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const { event } = delivery;
    const { url, secrets } = this.#target!;
    const body = writeEvent(event);
    const attemptedAt = this.#parts.clock.now();
    const answer = await this.#poster.post(url, signDelivery(secrets, event.id, body, this.#parts.machineNow()), body);
    this.#inFlight.delete(delivery);
    this.#finish(delivery, attemptedAt, answer);
  }

  #finish({ id, attempts: before }: DueDelivery, attemptedAt: Date, answer: PostAnswer): void {
    const now = this.#parts.clock.now();
    const verdict = judgeAnswer(answer);
    const attempts = before + 1;
    if (verdict === 'delivered') this.#pace.succeed();
    else this.#pace.fail();
    const health = healthAfter(verdict, this.#failingSince, now);
    this.#failingSince = health.failingSince;
    this.#disableReason ??= health.disableReason;
    const delay = verdict === 'failed' ? nextTrySeconds(attempts, Math.random(), answer.retryAfterSeconds) : undefined;
    const isRetried = delay !== undefined;
    this.#outcomes.push({
      id,
      attempts,
      attemptedAt,
      state: verdict === 'delivered' ? 'delivered' : isRetried ? 'due' : 'failed',
      ...(isRetried && { dueAt: secondsAfter(now, delay) }),
      status: answer.status,
      error: verdict === 'delivered' ? undefined : failureOf(answer),
      answer: answer.text,
      isExhausted: verdict === 'failed' && !isRetried,
    });
    const { endpointId } = this.lease;
    const { status, error, milliseconds } = answer;
    const outcome = verdict === 'delivered' ? 'delivered' : isRetried ? 'retried' : 'failed';
    this.#parts.observe({ kind: 'webhook-tried', endpointId, outcome, status, error, milliseconds });
    this.#flushSoon();
  }

  #flushSoon(milliseconds = flushMilliseconds): void {
    if (this.#outcomes.length >= flushSize) {
      clearTimeout(this.#flushTimer);
      this.#flushTimer = undefined;
      this.#flushInBackground();
      return;
    }
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      this.#flushInBackground();
    }, milliseconds).unref();
  }

  #flushInBackground(): void {
    this.#flush().catch((error: unknown) => this.#report(error));
  }

  /** So that no outcome is written twice. */
  readonly #flush = oneByOne(() => this.#mark());

  /** Outcomes that cannot be written now are written later, as long as this worker has the lease. */
  async #mark(): Promise<void> {
    const outcomes = this.#outcomes;
    if (outcomes.length === 0 || performance.now() > this.#leasedUntil) return;
    this.#outcomes = [];
    this.#marking = outcomes;
    const { endpointId, epoch } = this.lease;
    const [failingSince, disableReason] = [this.#failingSince, this.#disableReason];
    const now = this.#parts.clock.now();
    try {
      const request = { endpointId, epoch, outcomes, failingSince, disableReason, now };
      if (!(await this.#parts.deliveries.mark(request))) return this.abandon();
      if (disableReason) {
        this.#parts.observe({ kind: 'webhook-disabled', endpointId, reason: disableReason });
        return this.#onDisabled();
      }
    } catch (error) {
      this.#report(error);
      this.#outcomes.unshift(...outcomes);
      this.#flushSoon(retryFlushMilliseconds);
    } finally {
      this.#marking = [];
    }
    this.#pump();
  }

  #report(error: unknown): void {
    this.#observeFailure(causeOf(error));
  }

  #observeFailure(reason: string): void {
    this.#parts.observe({ kind: 'job-failed', job: 'webhook-delivery', reason });
  }
}
