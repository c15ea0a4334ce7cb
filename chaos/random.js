/** Random numbers from a seed, so that a run can be repeated: mulberry32. */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (from, to) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    isTrue: (share) => next() < share,
    pick: (items) => items[integer(0, items.length - 1)],
    /** Picks by the member `weight`. */
    pickWeighted(items) {
      let rest = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      return items.find(({ weight }) => (rest -= weight) < 0) ?? items.at(-1);
    },
    /** A generator of its own, so that what one lane does has no effect on what another draws. */
    fork: () => createRandom(Math.floor(next() * 4_294_967_296)),
  };
}
