import { expect } from 'vitest';
import { LedgerlineError } from '../../client/index.ts';

/** What a call failed with. */
export async function failure(call: Promise<unknown>): Promise<LedgerlineError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LedgerlineError);
  return error as LedgerlineError;
}
