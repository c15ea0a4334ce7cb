/**
 * `npm run attack`: plays the scenarios against an instance, with all rules, without each rule that matters
 * to the scenario, and without any, and prints what the attacker gained and which honest users were refused.
 *
 *   --url <address>  a running sandbox, whose data is deleted; if not given, one is started
 *   --scale <n>      how much of the large scenarios to play with all rules on; 1 if not given
 *   --only <words>   only scenarios whose name contains these words; may be given several times
 *   --ranges         the scenarios about ranges of numbers instead, in memory and in full size: the rule alone
 *   --honest <list>  with --ranges: honest users a day; 50,500,5000 if not given
 *   --json           one JSON line for each run instead of the table
 */
import { parseArgs } from 'node:util';
import { playRanges } from './ranges.js';
import { ruleNames } from '../dist/guard/rules.js';
import { startInstance } from './instance.js';
import { scenarios } from './scenarios.js';
import { World } from './world.js';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    ranges: { type: 'boolean', default: false },
    honest: { type: 'string', default: '50,500,5000' },
    'all-rules-only': { type: 'boolean', default: false },
  },
});

const scale = Number(options.scale);
/** The share of a large scenario that is played when a rule is off: enough to show what the rule prevents. */
const sampleScale = Math.min(scale, 0.02);

/** The other scenarios are played in full from this scale on. Below it a test of this program plays a part of them. */
const wholeScale = 0.02;

const partOf = (count, least) => Math.max(least, Math.ceil(count * Math.min(1, scale / wholeScale)));

const isWanted = (name) => options.only?.some((words) => name.includes(words)) ?? true;

const codes = 1_000_000;

function describe(scenario, rules, result) {
  const { attempts, texts, price, cpuSeconds, guesses, honest, hurt, takeovers } = result;
  return {
    scenario,
    rules,
    attempts,
    texts: texts ?? null,
    cost: texts === undefined ? null : Math.round(texts * (price ?? 0.1) * 100) / 100,
    cpuSeconds: cpuSeconds === undefined || !texts ? null : Math.round((100 * cpuSeconds) / texts) / 100,
    takeoverOdds:
      guesses === undefined ? (takeovers === undefined ? null : Number(takeovers > 0)) : 1 - (1 - 1 / codes) ** guesses,
    honest,
    hurt: hurt.length,
    why: [...new Set(hurt)],
  };
}

const columns = [
  ['scenario', 50],
  ['rules', 24],
  ['attempts', 9],
  ['texts', 7],
  ['cost', 9],
  ['CPU s/text', 10],
  ['takeover', 10],
  ['honest hurt', 12],
];

function print(cells) {
  console.log(
    columns
      .map(([, width], index) => String(cells[index] ?? '').padEnd(width))
      .join(' ')
      .trimEnd(),
  );
}

function show(run) {
  if (options.json) return console.log(JSON.stringify(run));
  const { scenario, rules, attempts, texts, cost, cpuSeconds, takeoverOdds, honest, hurt, why } = run;
  print([
    scenario,
    rules,
    attempts,
    texts ?? '-',
    cost === null ? '-' : cost.toFixed(2),
    cpuSeconds ?? '-',
    takeoverOdds === null ? '-' : `${(takeoverOdds * 100).toFixed(4)}%`,
    `${hurt} of ${honest}${why.length > 0 ? ` (${why.join(', ')})` : ''}`,
  ]);
}

if (options.ranges) {
  playRanges(options.honest.split(',').map(Number), isWanted);
  process.exit();
}

const instance = options.url ? { url: options.url, stop: async () => {} } : await startInstance(scale);
const world = new World(instance.url);
try {
  if (!options.json) print(columns.map(([name]) => name));
  for (const { name, matters, run } of scenarios) {
    if (!isWanted(name)) continue;
    await world.reset();
    show(describe(name, 'all', await run(world, { scale, partOf, isOff: () => false })));
    if (options['all-rules-only']) continue;
    for (const rule of matters) {
      await world.reset([rule]);
      show(
        describe(
          name,
          `without ${rule}`,
          await run(world, { scale: sampleScale, partOf, isOff: (each) => each === rule }),
        ),
      );
    }
    await world.reset(ruleNames);
    show(describe(name, 'none', await run(world, { scale: sampleScale, partOf, isOff: () => true })));
  }
} finally {
  world.close();
  await instance.stop();
}
