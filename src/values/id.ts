/** The id of a user, or of another thing that has a number. */
export const largestId = 2_147_483_647;

/** Undefined if the text is not an integer from 1 to the largest id. */
export function parseId(text: string): number | undefined {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= largestId ? id : undefined;
}
