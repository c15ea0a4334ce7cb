/**
 * Streams that callers read at their own speed. Each caller has a share of them, as of other slots. But a few callers
 * that read slowly could keep all of them for hours. So if there is no free stream for a caller, a stream that has
 * waited for its reader for some time is ended: one of the caller that has the most, and of these the one that has
 * waited longest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Slots, type Owner } from './slots.ts';

/**
 * A stream is slow if its reader takes longer than this for one part. A part of an export is 1,000 rows, about 400 KB.
 */
const slowMilliseconds = 2000;
/** How long a caller waits for a stream of another caller to end, and how often the streams are looked at meanwhile. */
const waitMilliseconds = 10_000;
const lookMilliseconds = 250;

export interface SharedStream {
  /** Nothing more can be done until the caller has read. */
  waitForReader(): void;
  /** The caller has read. */
  goOn(): void;
  /** Must be called at the end. */
  close(): void;
}

interface OpenStream {
  owner: Owner;
  /** Undefined while it does not wait for its reader. */
  waitingSince: number | undefined;
  isEnded: boolean;
}

export class SharedStreams {
  readonly #slots: Slots;
  readonly #open = new Set<OpenStream>();

  constructor(streams: number) {
    this.#slots = new Slots({
      slots: streams,
      waiting: 2 * streams,
      waitMilliseconds,
      retrySeconds: 10,
      refusesShare: true,
    });
  }

  /** The running and waiting streams. */
  get use(): Pick<Slots, 'running' | 'waiting' | 'findRefusal'> {
    return this.#slots;
  }

  /** Throws if the caller has its share, or if no stream becomes free in time. */
  async open(owner: Owner): Promise<SharedStream> {
    const release = await this.#take(owner);
    const stream: OpenStream = { owner, waitingSince: undefined, isEnded: false };
    this.#open.add(stream);
    return {
      waitForReader: () => void (stream.waitingSince = performance.now()),
      goOn: () => void (stream.waitingSince = undefined),
      close: () => {
        if (this.#open.delete(stream)) release();
      },
    };
  }

  async #take(owner: Owner): Promise<() => void> {
    const taken = this.#slots.take(owner);
    while (this.#slots.waiting > 0) {
      this.#makeRoom(owner);
      const release = await Promise.race([taken, sleep(lookMilliseconds)]);
      if (release) return release;
    }
    return taken;
  }

  /** Ends one stream for each caller that waits, if it has a reason to. */
  #makeRoom(newcomer: Owner): void {
    const open = [...this.#open];
    if (open.filter(({ isEnded }) => isEnded).length >= this.#slots.waiting) return;
    const countOf = ({ key }: Owner) => open.filter(({ owner }) => owner.key === key).length;
    const [slowest] = open
      .filter((stream) => isSlow(stream) && countOf(stream.owner) > countOf(newcomer))
      .sort((a, b) => countOf(b.owner) - countOf(a.owner) || a.waitingSince! - b.waitingSince!);
    if (!slowest) return;
    slowest.isEnded = true;
    slowest.owner.disconnect!();
  }
}

function isSlow({ owner, waitingSince, isEnded }: OpenStream): boolean {
  if (!owner.disconnect || waitingSince === undefined || isEnded) return false;
  return performance.now() - waitingSince >= slowMilliseconds;
}
