/** The time of a timer. One longer than 24.8 days would end at once, so it is shortened. */
export function timerMilliseconds(seconds: number): number {
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}
