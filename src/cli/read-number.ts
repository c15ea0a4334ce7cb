/** A number among the arguments of a command. */
import { StartError } from '../errors.ts';
import { largestId, parseId } from '../values/id.ts';

/** `name` says in the error what the number is. */
export function readNumber(name: string, text: string, limit = largestId): number {
  const number = parseId(text);
  if (number === undefined || number > limit) throw new StartError(`${name} must be an integer from 1 to ${limit}.`);
  return number;
}
