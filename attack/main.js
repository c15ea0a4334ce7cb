/**
 * `npm run attack`: plays the scenarios against an instance, with all rules, without each rule that matters
 * to the scenario, and without any, and prints what the attacker gained and which honest users were refused.
 *
 *   --url <address>  a running sandbox, whose data is deleted; if not given, one is started
 *   --scale <n>      how much of the large scenarios to play with all rules on; 1 if not given
 *   --only <words>   only scenarios whose name contains these words
 *   --json           one JSON line for each run instead of the table
 */
import { parseArgs } from 'node:util';
import { startInstance } from './instance.js';
import { scenarios } from './scenarios.js';
import { World } from './world.js';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    'all-rules-only': { type: 'boolean', default: false },
  },
});

const scale = Number(options.scale);
/** The share of a large scenario that is played when a rule is off: enough to show what the rule prevents. */
const sampleScale = Math.min(scale, 0.02);

const ruleNames = [
  'user-sends',
  'address-sends',
  'token-sends',
  'country',
  'number-type',
  'spend',
  'phone-sends',
  'phone-users',
  'user-phones',
  'prefix',
  'country-sends',
  'user-failures',
  'address-failures',
  'token-failures',
  'phone-failures',
  'one-code',
];

const codes = 1_000_000;

function describe(scenario, rules, result) {
  const { attempts, texts, price, guesses, honest, hurt, takeovers } = result;
  return {
    scenario,
    rules,
    attempts,
    texts: texts ?? null,
    cost: texts === undefined ? null : Math.round(texts * (price ?? 0.1) * 100) / 100,
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
  const { scenario, rules, attempts, texts, cost, takeoverOdds, honest, hurt, why } = run;
  print([
    scenario,
    rules,
    attempts,
    texts ?? '-',
    cost === null ? '-' : cost.toFixed(2),
    takeoverOdds === null ? '-' : `${(takeoverOdds * 100).toFixed(4)}%`,
    `${hurt} of ${honest}${why.length > 0 ? ` (${why.join(', ')})` : ''}`,
  ]);
}

const instance = options.url ? { url: options.url, stop: async () => {} } : await startInstance();
const world = new World(instance.url);
try {
  if (!options.json) print(columns.map(([name]) => name));
  for (const { name, matters, run } of scenarios) {
    if (options.only && !name.includes(options.only)) continue;
    await world.reset();
    show(describe(name, 'all', await run(world, { scale })));
    if (options['all-rules-only']) continue;
    for (const rule of matters) {
      await world.reset([rule]);
      show(describe(name, `without ${rule}`, await run(world, { scale: sampleScale })));
    }
    await world.reset(ruleNames);
    show(describe(name, 'none', await run(world, { scale: sampleScale })));
  }
} finally {
  world.close();
  await instance.stop();
}
