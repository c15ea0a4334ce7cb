/** A time limit for a query. */
import { giveTime } from '../../network/give-time.ts';
import { failure } from '../failures.ts';

/** The result of a query, or an error with the code `PROBE_TIMEOUT` if it does not come in time. */
export async function inTime<T>(query: PromiseLike<T>, milliseconds: number): Promise<T> {
  let end = () => {};
  const late = new Promise<never>((_, reject) => {
    end = giveTime(milliseconds, () => reject(failure('PROBE_TIMEOUT')));
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    end();
  }
}
