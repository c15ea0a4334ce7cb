/** Ids of users. */

/** Ids are positive, and have 32 bits with a sign. */
export function isUserId(id: number): boolean {
  return Number.isInteger(id) && id > 0 && id < 2 ** 31;
}
