/** Compares two texts in constant time, even if their lengths differ. */
import { createHash, timingSafeEqual } from 'node:crypto';

export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
