/**
 * Honest users and attackers before the rule about ranges of numbers alone, in memory: so many sends that a service would
 * take hours. `npm run attack -- --ranges` plays them in full, and test/guard/ranges.test.ts at a size for a test.
 */
const hour = 3_600_000;
const deliveredAfter = 10_000;
const verifiedAfter = 60_000;

/** The same numbers in every run. */
export function createRandom(seed = 7) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** What happens later, in the order in which it was added. */
function createQueue(run) {
  const waiting = [];
  let next = 0;
  return {
    add: (at, item) => waiting.push({ at, item }),
    runUntil(at) {
      for (; waiting[next]?.at <= at; next += 1) run(waiting[next].item, new Date(waiting[next].at));
    },
  };
}

/** A phone in one of the forty ranges of six open digits where the honest users are. */
export const honestPhone = (random) => `+4474${60 + random(40)}${String(random(1_000_000)).padStart(6, '0')}`;
/** Thousands of prefixes of four digits, in ranges of which nothing is known. */
export const thinPhone = (index) => `+4474${String((index * 7919) % 50_000_000).padStart(8, '0')}`;
export const phoneOfHundredPrefixes = (index) =>
  `+447400${String(index % 100).padStart(2, '0')}${String(Math.floor(index / 100) % 10_000).padStart(4, '0')}`;

/** How busy honest users are from hour to hour, as a multiple of the mean: quiet nights and weekends, a peak on Fridays. */
const hoursOfDay = [
  0.3, 0.2, 0.15, 0.1, 0.1, 0.15, 0.4, 0.8, 1.1, 1.4, 1.5, 1.5, 1.5, 1.4, 1.3, 1.3, 1.4, 1.6, 1.9, 1.9, 1.7, 1.2, 0.7,
  0.4,
];
const daysOfWeek = [0.7, 1, 1, 1, 1.1, 1.5, 0.7];

function busyness(at) {
  const time = new Date(at);
  return hoursOfDay[time.getUTCHours()] * daysOfWeek[time.getUTCDay()];
}

/** Sends of the honest users of a day, who follow the hours of the week. */
export function honestDay(random, from, usersOfDay) {
  return Array.from({ length: 24 }, (_, index) => {
    const at = from + index * hour;
    const expected = (usersOfDay / 24) * busyness(at);
    const count = Math.floor(expected) + Number(random(1000) < (expected % 1) * 1000);
    return honestSends(random, at, count, { hours: 1 });
  }).flat();
}

/** Sends of honest users at random times. */
export function honestSends(random, from, count, { hours = 24, percent = 80 } = {}) {
  return Array.from({ length: count }, () => ({
    at: from + random(hours * hour),
    isHonest: true,
    phone: honestPhone(random),
    isVerified: random(100) < percent,
    provesItself: true,
  }));
}

/** Sends of an attacker at even intervals, who verifies a percentage of the codes. */
export function attackSends(random, from, count, { hours, percent = 0, phoneOf, provesItself = false }) {
  return Array.from({ length: count }, (_, index) => ({
    at: from + Math.floor((index / count) * hours * hour),
    isHonest: false,
    phone: phoneOf(index),
    isVerified: random(100) < percent,
    provesItself,
  }));
}

/**
 * Plays sends in the order of their times. With `takesProofs` those who prove themselves may use the reserve; `isLikely`
 * says whose tokens and addresses speak for them, and `isDelivered` what the receipt of a text says, if there is one.
 */
export function play(book, sends, { takesProofs = false, isLikely = () => false, isDelivered } = {}) {
  const texts = { honest: 0, attacker: 0 };
  const refused = { honest: 0, attacker: 0 };
  const proofs = { honest: 0, attacker: 0 };
  const receipts = createQueue(({ phone, state }, at) => book.noteReceipt({ e164: phone, country: 'GB' }, state, at));
  const verifications = createQueue(({ phone }, at) => book.noteVerified({ e164: phone, country: 'GB' }, at));
  const runUntil = (at) => [receipts, verifications].forEach((queue) => queue.runUntil(at));
  for (const send of sends.toSorted((one, other) => one.at - other.at)) {
    const { at, isHonest, phone, isVerified, provesItself } = send;
    runUntil(at);
    const who = isHonest ? 'honest' : 'attacker';
    const verdict = book.judge({ e164: phone, country: 'GB' }, new Date(at));
    const isOpen = verdict.objection === undefined || (verdict.isOpenToLikely && isLikely(send));
    const isProven = !isOpen && takesProofs && provesItself && verdict.isOpenToProven;
    if (isProven) proofs[who] += 1;
    if (!isOpen && !isProven) {
      verdict.giveBack();
      refused[who] += 1;
      continue;
    }
    texts[who] += 1;
    const arrives = isDelivered?.(send) ?? true;
    if (isDelivered) receipts.add(at + deliveredAfter, { phone, state: arrives ? 'delivered' : 'failed' });
    if (isVerified && arrives) verifications.add(at + verifiedAfter, { phone });
  }
  runUntil(Infinity);
  return { texts, refused, proofs };
}
