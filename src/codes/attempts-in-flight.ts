/**
 * The attempts to verify that this process has not decided yet. Each is counted as failed before its code is compared,
 * so ten attempts in flight look like ten failures although one of them may succeed. Another attempt waits for them
 * before it is refused.
 */
export class AttemptsInFlight {
  readonly #byUser = new Map<number, UserAttempts>();

  begin(userId: number): AttemptInFlight {
    const ofUser = this.#byUser.get(userId) ?? { attempts: new Set(), begun: 0 };
    this.#byUser.set(userId, ofUser);
    const wasAlone = ofUser.attempts.size === 0;
    ofUser.begun += 1;
    const { begun } = ofUser;
    let resolve!: () => void;
    const decided = new Promise<void>((done) => (resolve = done));
    ofUser.attempts.add(decided);
    return {
      end: () => {
        ofUser.attempts.delete(decided);
        if (ofUser.attempts.size === 0 && this.#byUser.get(userId) === ofUser) this.#byUser.delete(userId);
        resolve();
      },
      others() {
        // An attempt that was decided meanwhile may have counted as failed when this attempt was checked.
        if (wasAlone && ofUser.begun === begun) return undefined;
        return Promise.all([...ofUser.attempts].filter((attempt) => attempt !== decided));
      },
    };
  }
}

/** Attempts of one user that overlap in time. */
interface UserAttempts {
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
