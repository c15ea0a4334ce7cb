/** The attacker's core claims, at a size that a test can wait for. `npm run attack` plays them in full. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
// @ts-expect-error The simulation is plain JavaScript.
import { productionRules } from '../../attack/instance.js';
import { cloneDatabase } from '../harness/service.ts';
import { isFull, sized } from '../harness/size.ts';
import { spawnApp } from '../harness/spawned-app.ts';

const main = fileURLToPath(new URL('../../attack/main.js', import.meta.url));

const scale = sized(0.005, 0.02);

/** What the usual run plays: one of each kind. The full run plays all, against an instance that the command starts. */
const core = [
  'guess one phone',
  'one code against many users',
  'pump a premium range',
  'ask for 300 codes at once',
  'replay old codes',
  'guess one confirmation',
  'stolen user-bound token',
  // No other test of the usual run shows these.
  'forge forwarding headers',
  'lock a victim out',
  'lock an established user out with 20',
  'own verified premium number',
  'replay an approved confirmation',
];
const inFull = it.runIf(isFull);

interface Run {
  scenario: string;
  attempts: number;
  texts: number | null;
  takeoverOdds: number | null;
  honest: number;
  hurt: number;
}

/** All scenarios once, against one instance with all rules on. */
let runs: Run[];
beforeAll(async () => {
  const database = await cloneDatabase();
  // As the command does at a smaller scale: challenges are easier.
  const settings = { ...productionRules, PORT: '0', LEDGERLINE_CHALLENGE_WORK: '2000' };
  const service = isFull ? undefined : await spawnApp({ ...settings, DATABASE_URL: database.url }, []);
  const choice = service ? ['--url', service.url, ...core.flatMap((words) => ['--only', words])] : [];
  const child = spawn(process.execPath, [main, '--json', '--scale', String(scale), '--all-rules-only', ...choice], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  await service?.stop();
  await database.drop();
  expect(code).toBe(0);
  runs = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Run);
}, 600_000);

function played(words: string): Run {
  return runs.find(({ scenario }) => scenario.includes(words))!;
}

it.each([
  'guess one phone',
  'guess one confirmation',
  ...sized([], ['guess with resends', 'guess with fresh codes', 'guess over all confirmations']),
])('%s takes over an account with odds of at most 0.002 %%', (words) => {
  expect(played(words).takeoverOdds).toBeGreaterThan(0);
  expect(played(words).takeoverOdds).toBeLessThanOrEqual(0.00002);
});

it('a stolen token uses up half of a victim’s confirmations, and the victim still pays', () => {
  expect(played('stolen user-bound token')).toMatchObject({
    attempts: sized(120, 300),
    texts: sized(20, 50),
    hurt: 0,
  });
});

it('confirmations to a verified premium number send nothing', () => {
  expect(played('own verified premium number')).toMatchObject({ attempts: sized(50, 200), texts: 0 });
});

it('an approved confirmation, and that of another user, cannot be used', () => {
  expect(played('replay an approved confirmation')).toMatchObject({ takeoverOdds: 0 });
});

inFull('a stolen user-bound token moves no number, and guessing the confirmation does not pay', () => {
  expect(played('change the number with a stolen token')).toMatchObject({ attempts: 60, takeoverOdds: 0, hurt: 0 });
  expect(played('guess the confirmation').takeoverOdds).toBeGreaterThan(0);
  expect(played('guess the confirmation').takeoverOdds).toBeLessThanOrEqual(0.00003);
});

inFull('a change to a number keeps nobody from verifying it', () => {
  expect(played('by changing to it')).toMatchObject({ honest: 20, hurt: 0 });
});

it('one code against many users is refused after a few', () => {
  // The code is blocked after ten users, the address after fifty; the 31 other calls under way are not called back.
  expect(played('one code').attempts).toBe(10_000 * scale);
  expect(played('one code').takeoverOdds).toBeGreaterThan(0);
  expect(played('one code').takeoverOdds).toBeLessThanOrEqual(0.000041);
});

it('pumping a premium range sends nothing', () => {
  expect(played('pump a premium range')).toMatchObject({ attempts: 100_000 * scale, texts: 0 });
});

inFull('pumping over the prefixes of an allowed country gets at most 5 % of its texts sent', () => {
  const { attempts, texts } = played('100 prefixes');
  expect(attempts).toBe(3000);
  expect(texts).toBeGreaterThan(0);
  expect(texts).toBeLessThanOrEqual(attempts * 0.05);
});

inFull.each([
  ['10 %', 70],
  ['25 %', 100],
  ['50 %', 300],
])('pumping that verifies %s of its codes meets the budget of its range', (percent, most) => {
  // At this scale the budgets weigh more: 50 texts, and what the verified codes explain. The slower the pump, the more
  // codes are verified before the next send: of 600 attempts 63, 91 and 284 texts one after another, fewer in parallel.
  const { attempts, texts } = played(`verify ${percent}`);
  expect(attempts).toBe(30_000 * scale);
  expect(texts).toBeGreaterThan(0);
  expect(texts).toBeLessThanOrEqual(most);
});

inFull('thin pumping gets the budget of a country of which little is known', () => {
  for (const words of ['pump thinly', 'new installation']) {
    const { attempts, texts } = played(words);
    expect(attempts).toBe(30_000 * scale);
    expect(texts).toBeGreaterThan(0);
    expect(texts).toBeLessThanOrEqual(300);
  }
});

inFull(
  'pumping by calls and by WhatsApp gets the budget of a country of which nothing is known, and no honest user less',
  () => {
    expect(played('calls to a premium range')).toMatchObject({ attempts: 30_000 * scale, texts: 0 });
    for (const words of ['thinly by calls', 'thinly by WhatsApp']) {
      expect(played(words)).toMatchObject({ attempts: 30_000 * scale, hurt: 0 });
      expect(played(words).texts).toBeGreaterThan(0);
      expect(played(words).texts).toBeLessThanOrEqual(200);
    }
  },
);

inFull('proofs buy as much again as the budget of a range, and no more', () => {
  const { attempts, texts } = played('solve proofs');
  expect(attempts).toBe(60);
  // 20 without and 20 with a proof; sends under way are not called back.
  expect(texts).toBeGreaterThan(20);
  expect(texts).toBeLessThanOrEqual(45);
});

it.each([
  ['300 codes at once', 5] as const,
  ['forge forwarding', 30] as const,
  ...sized([], [['spell one number', 5] as const, ['resend in a loop', 10] as const, ['bomb a phone', 13] as const]),
])('%s: at most %d texts are sent', (words, most) => {
  expect(played(words).texts).toBeGreaterThan(0);
  expect(played(words).texts).toBeLessThanOrEqual(most);
});

it('superseded and expired codes verify nothing', () => {
  // Rounds of four codes: a used one, that of another user, a superseded one and an expired one.
  expect(played('replay old codes')).toMatchObject({ attempts: sized(12, 40), takeoverOdds: 0 });
});

it('no scenario refuses or blocks an honest user', () => {
  expect(runs.length).toBeGreaterThanOrEqual(sized(core.length, 20));
  expect(runs.filter(({ hurt }) => hurt > 0)).toEqual([]);
});
