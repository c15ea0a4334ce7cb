/**
 * The attempts to verify that this process has not decided yet. Each is counted as failed before its code is compared,
 * so ten attempts in flight look like ten failures although one of them may succeed. Another attempt waits for them
 * before it is refused.
 */
export class AttemptsInFlight {
  readonly #byUser = new Map<number, Company>();

  begin(userId: number): AttemptInFlight {
    const company = this.#byUser.get(userId) ?? { attempts: new Set(), begun: 0 };
    this.#byUser.set(userId, company);
    const wasAlone = company.attempts.size === 0;
    company.begun += 1;
    const { begun } = company;
    let resolve!: () => void;
    const decided = new Promise<void>((done) => (resolve = done));
    company.attempts.add(decided);
    return {
      end: () => {
        company.attempts.delete(decided);
        if (company.attempts.size === 0 && this.#byUser.get(userId) === company) this.#byUser.delete(userId);
        resolve();
      },
      others() {
        // An attempt that was decided meanwhile may have counted as failed when this attempt was checked.
        if (wasAlone && company.begun === begun) return undefined;
        return Promise.all([...company.attempts].filter((attempt) => attempt !== decided));
      },
    };
  }
}

/** Attempts of one user that overlap in time. */
interface Company {
  attempts: Set<Promise<void>>;
  /** The number of attempts so far. */
  begun: number;
}

export interface AttemptInFlight {
  /** Must be called when the attempt is decided. */
  end(): void;
  /** Waits until the user's other attempts are decided; undefined if there has been none since this one began. */
  others(): Promise<unknown> | undefined;
}
