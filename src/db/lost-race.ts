/** Statements that lose a race with another one are run again. */
import { isLostRace } from './failures.ts';

/** Whenever a statement loses a race, another one has succeeded. So few retries are needed. */
const maxRaces = 20;

/** Runs a statement again if it lost a race with another one. A statement that lost has changed nothing. */
export async function retryLostRace<T>(run: () => PromiseLike<T>, isLost = isLostRace): Promise<T> {
  for (let races = 1; ; races += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isLost(error) || races === maxRaces) throw error;
    }
  }
}
