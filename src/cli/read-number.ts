/** A number among the arguments of a command. */
import { StartError } from '../errors.ts';

/** The largest id of a user, and of everything else that has a number. */
const largestId = 2_147_483_647;

/** `name` says in the error what the number is. */
export function readNumber(name: string, text: string, limit = largestId): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > limit) throw new StartError(`${name} must be an integer from 1 to ${limit}.`);
  return number;
}
