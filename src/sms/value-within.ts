import { giveTime } from '../network/give-time.ts';

/** The promise's value, or undefined if it takes longer. */
export async function valueWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let end = () => {};
  const late = new Promise<undefined>((resolve) => {
    end = giveTime(milliseconds, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    end();
  }
}
