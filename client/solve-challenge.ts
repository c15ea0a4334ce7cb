/** Solves a challenge in a worker, so that the page's thread stays free, or in short slices if there is no worker. */
import { noAnswer } from './errors.ts';
import { createSolver, parseChallenge, type Puzzles } from './proof-of-work.ts';

/** The part of a browser's worker that is used here: the compiler knows only Node's types. */
interface BrowserWorker {
  postMessage(challenge: string): void;
  addEventListener(type: 'message', listener: (event: { data: string | undefined }) => void): void;
  addEventListener(type: 'error', listener: (event: { preventDefault(): void }) => void): void;
  terminate(): void;
}
declare const Worker: (new (file: URL, options: { type: 'module' }) => BrowserWorker) | undefined;
declare const document: object | undefined;

/** Returns the value of the header Challenge-Solution; undefined for a challenge that it cannot solve. */
export type SolveChallenge = (challenge: string, signal?: AbortSignal) => Promise<string | undefined>;

export const solveChallenge: SolveChallenge = async (challenge, signal) => {
  const puzzles = parseChallenge(challenge);
  if (!puzzles) return undefined;
  const worker = startWorker();
  if (!worker) return solveInSlices(puzzles, signal);
  try {
    return (await solveInWorker(worker, challenge, signal)) ?? (await solveInSlices(puzzles, signal));
  } finally {
    worker.terminate();
  }
};

/** Undefined in Node, and on pages whose policy allows no worker. */
function startWorker(): BrowserWorker | undefined {
  if (typeof Worker === 'undefined' || typeof document === 'undefined') return undefined;
  try {
    return new Worker(new URL('./challenge-worker.js', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
}

/** Time limit of the worker: far more than a slow phone needs. */
const workerSeconds = 30;

/** Undefined if the worker fails, or its file cannot be loaded. */
function solveInWorker(worker: BrowserWorker, challenge: string, signal: AbortSignal | undefined) {
  return new Promise<string | undefined>((resolve, reject) => {
    setTimeout(() => resolve(undefined), workerSeconds * 1000);
    worker.addEventListener('message', ({ data }) => resolve(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      resolve(undefined);
    });
    signal?.addEventListener('abort', () => reject(noAnswer(signal.reason, signal)), { once: true });
    if (signal?.aborted) reject(noAnswer(signal.reason, signal));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(challenge);
  });
}

/** Shorter than a frame of the screen, so that the page stays responsive. */
const sliceMilliseconds = 8;
const triesAtOnce = 500;

async function solveInSlices(puzzles: Puzzles, signal: AbortSignal | undefined): Promise<string> {
  const advance = createSolver(puzzles);
  for (;;) {
    if (signal?.aborted) throw noAnswer(signal.reason, signal);
    const end = performance.now() + sliceMilliseconds;
    do {
      const solution = advance(triesAtOnce);
      if (solution !== undefined) return solution;
    } while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
