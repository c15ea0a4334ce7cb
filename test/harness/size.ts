/**
 * How much a test does. `npm test` does as much as fits into ten minutes on two cores. `npm run test:full` does more of the
 * same: more calls in parallel, more rounds, and every language in the browser.
 */
export const isFull = process.env.TEST_SIZE === 'full';

export function sized<T>(usual: T, full: T): T {
  return isFull ? full : usual;
}
