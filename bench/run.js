/**
 * Runs the benchmarks and writes bench/results.md with its plots.
 *   npm run bench                     all of them, about a quarter of an hour
 *   npm run bench -- list verify      some of them; the others keep their last figures
 *   npm run bench -- --quick          fewer rows, to see that everything runs
 *   npm run bench -- growth --large   up to 10,000,000 rows
 *   npm run bench -- citus            with CITUS_URL and PLAIN_URL, see docs/citus.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { benchAvailability } from './availability.js';
import { benchBodies } from './bodies.js';
import { benchChannels } from './channels.js';
import { benchCitus, citusUrls } from './citus.js';
import { benchConfirmations } from './confirmations.js';
import { benchCsv } from './csv-files.js';
import { benchDetails } from './details.js';
import { benchDocs } from './docs.js';
import { benchEvents } from './events.js';
import { benchFastify } from './fastify.js';
import { benchGateway } from './gateway.js';
import { benchGrowth } from './growth.js';
import { benchGuard } from './guard.js';
import { Bench, machine } from './harness.js';
import { benchIdle } from './idle.js';
import { benchList, prepareSmall } from './list.js';
import { benchMemory } from './memory.js';
import { benchOverload } from './overload.js';
import { benchPages } from './pages.js';
import { linePlot } from './plot.js';
import { benchReaders } from './readers.js';
import { report } from './report.js';
import { benchTracing } from './tracing.js';
import { benchVerify } from './verify.js';

const benches = {
  async list(bench) {
    await prepareSmall(bench);
    return benchList(bench);
  },
  tracing: benchTracing,
  availability: benchAvailability,
  fastify: benchFastify,
  readers: benchReaders,
  verify: benchVerify,
  confirmations: (bench, { quick, large }) =>
    benchConfirmations(bench, { each: quick ? 2000 : 4800, oldRows: large ? 10_000_000 : quick ? 10_000 : 1_000_000 }),
  channels: benchChannels,
  guard: benchGuard,
  gateway: benchGateway,
  events: benchEvents,
  details: benchDetails,
  pages: benchPages,
  docs: benchDocs,
  growth: (bench, { quick, large }) =>
    benchGrowth(bench, {
      sizes: quick ? [1000, 10_000] : [1000, 10_000, 100_000, 1_000_000, ...(large ? [10_000_000] : [])],
    }),
  overload: (bench, { quick }) => benchOverload(bench, { seconds: quick ? 4 : 10 }),
  bodies: benchBodies,
  citus: (bench, { quick }) =>
    benchCitus(bench, { rows: quick ? 10_000 : 100_000, individuals: 5000, seconds: quick ? 3 : 10 }),
  csv: (bench) => benchCsv(bench, { count: 100_000 }),
  idle: benchIdle,
  memory: (bench, { quick }) => benchMemory(bench, { few: 50_000, many: quick ? 200_000 : 5_000_000 }),
};

const asked = process.argv.slice(2);
const options = { quick: asked.includes('--quick'), large: asked.includes('--large') };
const names = asked.filter((word) => !word.startsWith('--'));
const unknown = asked.filter((word) => !(word in benches) && !['--quick', '--large'].includes(word));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(benches).join(', ')}, --quick and --large.`);
  process.exit(2);
}

const figuresFile = new URL('results.json', import.meta.url);
const figures = readFigures();
const standing = Object.keys(benches).filter((name) => name !== 'citus' || citusUrls.citus);
for (const name of names.length > 0 ? names : standing) {
  const begun = performance.now();
  console.log(`${name} …`);
  // What else runs on the machine takes its part of the processors.
  const loadBefore = loadavg()[0];
  const bench = await Bench.start();
  try {
    const result = await benches[name](bench, options);
    figures[name] = { ...result, measuredAt: new Date().toISOString().slice(0, 10), machine, loadBefore };
    for (const { what, is, least, most } of result.goals) {
      const goal = least === undefined ? `at most ${most}` : `at least ${least}`;
      console.log(`  ${reached({ is, least, most }) ? '✓' : '✗'} ${what}: ${is ?? 'not measured'} (${goal})`);
    }
    console.log(`  ${Math.round((performance.now() - begun) / 1000)} s`);
  } finally {
    await bench.stop();
  }
}

if (!options.quick) {
  writeFileSync(figuresFile, `${JSON.stringify(figures, null, 2)}\n`);
  for (const { plot } of Object.values(figures)) {
    if (plot) writeFileSync(new URL(`plots/${plot.file}`, import.meta.url), linePlot(plot));
  }
  writeFileSync(new URL('results.md', import.meta.url), report(figures, reached));
  console.log('Written: bench/results.md');
}

function reached({ is, least, most }) {
  return is !== undefined && (least === undefined || is >= least) && (most === undefined || is <= most);
}

function readFigures() {
  try {
    return JSON.parse(readFileSync(figuresFile, 'utf8'));
  } catch {
    return {};
  }
}
