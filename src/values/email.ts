/** One @ with text on both sides, and nothing that could break a line or a header of a message. */
export function parseEmail(address: string): string | undefined {
  return /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(address) ? address : undefined;
}
