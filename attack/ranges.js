/** The scenarios about ranges of numbers in full size, beside honest traffic of several sizes. */
import { hash } from 'node:crypto';
import { loadConfig } from '../dist/config/load.js';
import { readLimits } from '../dist/guard/limits.js';
import { RangeBook } from '../dist/guard/ranges/range-book.js';
import {
  attackSends,
  createRandom,
  honestDay,
  honestPhone,
  honestSends,
  phoneOfHundredPrefixes,
  play,
  thinPhone,
} from './range-world.js';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 5);
const config = loadConfig({ MODE: 'production', LEDGERLINE_COUNTRIES: 'GB', ...settingsOf(process.env) });
const { ranges: limits } = readLimits(config);

const inMemory = { exchange: async () => new Map(), readWeeks: async () => new Map() };

/** The settings of ranges may be changed, to see what they give. */
function settingsOf(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('LEDGERLINE_RANGE')));
}

/** Two weeks of honest users, then the attack, with honest users during it and on the day after it. */
function playAfterLearning(usersOfDay, { attack, extraHonest = () => [], days = 1, takesProofs, isLikely, delivers }) {
  const random = createRandom();
  const book = new RangeBook(limits, 1, inMemory);
  const learning = Array.from({ length: 14 }, (_, index) => honestDay(random, start + index * day, usersOfDay));
  const isDelivered = delivers?.(createRandom(11), start + 14 * day);
  play(book, learning.flat(), { isDelivered });
  const from = start + 14 * day;
  const attacking = attack(random, from, usersOfDay);
  const people = Array.from({ length: days + 1 }, (_, index) => honestDay(random, from + index * day, usersOfDay));
  const extra = extraHonest(random, from, usersOfDay);
  const honest = [...people.flat(), ...extra];
  const { texts, refused, proofs } = play(book, [...attacking, ...honest], { takesProofs, isLikely, isDelivered });
  return { attempts: attacking.length, texts: texts.attacker, proofs, honest: honest.length, hurt: refused.honest };
}

const pump = (count, options) => (random, from) =>
  attackSends(random, from, count, { hours: 1, ...options, phoneOf: options.phoneOf });
const insideHonestRanges = (random) => () => honestPhone(random);

/** Grows evenly to twice the honest traffic. */
const ramp = (phoneOf) => (random, from, usersOfDay) =>
  Array.from({ length: 14 }, (_, index) => {
    const count = Math.round((usersOfDay * 2 * (index + 1)) / 14);
    return attackSends(random, from + index * day, count, { hours: 24, phoneOf: phoneOf(random) });
  }).flat();

/** From midnight on Monday. */
const pumpInside =
  (provesItself, hours = 0) =>
  (random, from) =>
    attackSends(random, from + hours * hour, 30_000, { hours: 1, phoneOf: insideHonestRanges(random), provesItself });

/** Of the honest users' texts 3 in 100 fail, and so many of the attacker's. */
const failing =
  (percent) =>
  (random) =>
  ({ isHonest }) =>
    random(100) >= (isHonest ? 3 : percent);
const failingGateway =
  (random, from) =>
  ({ at }) =>
    random(100) >= (at >= from + 9 * hour && at < from + 12 * hour ? 50 : 3);

const thin = { phoneOf: thinPhone };
const converting = [10, 25, 50].flatMap((percent) => [
  [`100 prefixes, ${percent} % verified`, { attack: pump(100_000, { phoneOf: phoneOfHundredPrefixes, percent }) }],
  [`thin, ${percent} % verified`, { attack: pump(30_000, { ...thin, percent }) }],
]);

const scenarios = [
  ['thin', { attack: pump(30_000, thin) }],
  ['thin, proofs on, attacker does not solve', { attack: pump(30_000, thin), takesProofs: true }],
  ['thin, proofs on, attacker solves', { attack: pump(30_000, { ...thin, provesItself: true }), takesProofs: true }],
  ...converting,
  ['slow ramp over two weeks', { attack: ramp(() => thinPhone), days: 14 }],
  ['slow ramp inside the honest ranges', { attack: ramp(insideHonestRanges), days: 14 }],
  ['the same, proofs on, attacker does not solve', { attack: ramp(insideHonestRanges), days: 14, takesProofs: true }],
  ['inside the honest ranges', { attack: pumpInside(false) }],
  ['the same at the quietest hour of the week', { attack: pumpInside(false, 3) }],
  ['the same at the busiest hour of the week', { attack: pumpInside(false, 4 * 24 + 19), days: 5 }],
  ['inside the honest ranges, proofs on, attacker does not solve', { attack: pumpInside(false), takesProofs: true }],
  ['the same, proofs on, attacker solves', { attack: pumpInside(true), takesProofs: true }],
  ['thin, attacker with user-bound tokens', { attack: pump(30_000, thin), isLikely: ({ isHonest }) => !isHonest }],
  [
    'slow ramp over two weeks, attacker with user-bound tokens',
    { attack: ramp(() => thinPhone), days: 14, isLikely: ({ isHonest }) => !isHonest },
  ],
  [
    'inside the honest ranges, honest users with user-bound tokens',
    { attack: pumpInside(false), isLikely: ({ isHonest }) => isHonest },
  ],
  ['inside the honest ranges, all with user-bound tokens', { attack: pumpInside(false), isLikely: () => true }],
  ['receipts: thin, half of the texts fail', { attack: pump(30_000, thin), delivers: failing(50) }],
  [
    'receipts: slow ramp over two weeks, half of the texts fail',
    { attack: ramp(() => thinPhone), days: 14, delivers: failing(50) },
  ],
  [
    'receipts: 100 prefixes in a day, 25 % verified, half of the texts fail',
    { attack: pump(30_000, { phoneOf: phoneOfHundredPrefixes, percent: 25, hours: 24 }), delivers: failing(50) },
  ],
  [
    'receipts: slow ramp inside the honest ranges, half of the texts fail',
    { attack: ramp(insideHonestRanges), days: 14, delivers: failing(50) },
  ],
  ['receipts: a gateway loses half of all texts for three hours', { attack: () => [], delivers: failingGateway }],
  [
    'the busiest days of the week, half as busy again',
    {
      attack: () => [],
      days: 7,
      extraHonest: (random, from, usersOfDay) =>
        [3, 4, 5].flatMap((index) => honestDay(random, from + index * day, usersOfDay / 2)),
    },
  ],
  [
    'flash crowd, ten times the normal hour',
    {
      attack: () => [],
      extraHonest: (random, from, usersOfDay) =>
        honestSends(random, from + 8 * hour, Math.round((usersOfDay / 24) * 10), { hours: 1, percent: 75 }),
    },
  ],
];

/** Processor time that one solution costs a server, with the hash function of OpenSSL. */
function measureSolution() {
  const tries = 200_000;
  const before = process.cpuUsage();
  for (let index = 0; index < tries; index += 1) hash('sha256', `${'x'.repeat(64)}.0.${index}`, 'hex');
  const { user, system } = process.cpuUsage(before);
  return (config.challengeWork * (user + system)) / tries / 1e6;
}

export function playRanges(sizes, isWanted) {
  const solutionSeconds = measureSolution();
  console.log(`A solution takes about ${solutionSeconds.toFixed(2)} CPU seconds on this machine.\n`);
  console.log('| scenario | honest users a day | attempts | texts | CPU seconds | honest users refused |');
  console.log('|---|---:|---:|---:|---:|---:|');
  for (const [name, scenario] of scenarios) {
    if (!isWanted(name)) continue;
    for (const size of sizes) {
      const { attempts, texts, proofs, honest, hurt } = playAfterLearning(size, scenario);
      const seconds = Math.round(proofs.attacker * solutionSeconds);
      const share = ((100 * hurt) / honest).toFixed(2);
      console.log(`| ${name} | ${size} | ${attempts} | ${texts} | ${seconds} | ${hurt} of ${honest} (${share} %) |`);
    }
  }
}
