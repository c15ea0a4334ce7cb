/**
 * How much a test does. `npm test` does enough to find most mistakes in a short time. `npm run test:full` does more: more
 * calls in parallel, more rounds, and every language in the browser.
 */
export const isFull = process.env.TEST_SIZE === 'full';

export function sized<T>(usual: T, full: T): T {
  return isFull ? full : usual;
}
