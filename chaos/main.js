/**
 * `npm run chaos`: breaks a running installation at random and checks that it keeps its promises. See docs/reliability.md.
 *
 *   --minutes <n>              how long; without it until Ctrl-C
 *   --seed <n>                 the seed of everything random; printed if not given
 *   --kills-per-minute <n>     how often a process is killed while faults are injected (24)
 *   --pause-milliseconds <n>   how long a user waits between two calls (40)
 *   --round-seconds <n>        how long faults are injected between two checks that all is well again (120)
 *   --history <file>           where the history is written; chaos-<seed>.ndjson in the temporary folder if not given
 *   --replay <file>            injects the faults of that history again, at the same moments, with the same seed
 *
 * With CITUS_URL it uses a Citus on this machine, moves its shards and cuts its workers off.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from './run.js';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    'kills-per-minute': { type: 'string', default: '24' },
    'pause-milliseconds': { type: 'string', default: '40' },
    'round-seconds': { type: 'string', default: '120' },
    history: { type: 'string' },
    replay: { type: 'string' },
  },
});

function readReplay(file) {
  const entries = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    seed: entries[0].seed,
    faults: entries.filter(({ kind }) => kind === 'fault'),
  };
}

const replay = options.replay === undefined ? undefined : readReplay(options.replay);
const seed =
  replay?.seed ?? (options.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed));

const isHealthy = await runChaos({
  seed,
  minutes: options.minutes === undefined ? Infinity : Number(options.minutes),
  killsPerMinute: Number(options['kills-per-minute']),
  pauseMilliseconds: Number(options['pause-milliseconds']),
  roundSeconds: Number(options['round-seconds']),
  historyFile: options.history ?? path.join(tmpdir(), `chaos-${seed}.ndjson`),
  replay: replay?.faults,
  print: (line) => console.log(line),
});
process.exitCode = isHealthy ? 0 : 1;
