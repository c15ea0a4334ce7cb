/** One run: starts the installation, injects faults in rounds, lets it heal after each, and checks everything. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDatabase, checkHistory, countUnexpected, createReport, isUncaught } from './checker.js';
import { startCitus } from './citus.js';
import { createCrowd } from './crowd.js';
import { startDatabase } from './database.js';
import { faults } from './faults.js';
import { startGateways } from './gateways.js';
import { createHistory } from './history.js';
import { createRandom } from './random.js';
import { startServices } from './services.js';

const healMilliseconds = 120_000;
const probeMilliseconds = 60_000;

export async function runChaos(options) {
  const { seed, minutes, killsPerMinute, roundSeconds, historyFile, replay, print } = options;
  print(`Seed ${seed}. The history goes to ${historyFile}.`);
  const random = createRandom(seed);
  const history = createHistory({ file: historyFile, seed });
  const report = createReport();
  const world = await startWorld(history, random.fork(), minutes);
  const crowd = createCrowd(world, random.fork(), options.pauseMilliseconds);
  world.crowd = crowd;
  const injector = createInjector(world, random.fork(), killsPerMinute, replay);
  const end = createEnd(minutes, replay);
  try {
    await waitUntilHealed(world, crowd, report, 'start');
    const startedAt = history.now();
    while (!end.isReached(history.now() - startedAt)) {
      await injector.run(end, end.roundMilliseconds(history.now() - startedAt, roundSeconds));
      const milliseconds = await waitUntilHealed(world, crowd, report, 'round');
      injector.markSurvived(milliseconds !== undefined);
      print(progressLine(history, injector, report, milliseconds));
    }
    await crowd.stop();
    checkHistory(history, report);
    const sql = world.database.connect();
    await checkDatabase(history, sql, report);
    await sql.end();
  } finally {
    end.stop();
    await world.stop();
    await history.close();
  }
  printResult({ history, injector, report, print, seed, movedShards: world.database.movedShards });
  return report.count === 0;
}

async function startWorld(history, random, minutes) {
  const citusUrl = process.env.CITUS_URL;
  const database = await (citusUrl ? startCitus(citusUrl) : startDatabase(minutes));
  const gateways = await startGateways(history, random);
  const clockFile = path.join(database.folder, 'clock');
  const services = await startServices({ history, database, gateways: gateways.all, clockFile });
  return {
    history,
    database,
    gateways,
    clockFile,
    services: services.all,
    async stop() {
      await services.stop();
      await gateways.stop();
      await database.stop();
    },
  };
}

/** Ends after so many minutes, when a replay is over, or at Ctrl-C. */
function createEnd(minutes, replay) {
  const limitMilliseconds = replay ? replay.at(-1).at + 1000 : minutes * 60_000;
  let isInterrupted = false;
  const interrupt = () => (isInterrupted = true);
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return {
    get isInterrupted() {
      return isInterrupted;
    },
    isReached: (milliseconds) => isInterrupted || milliseconds >= limitMilliseconds,
    roundMilliseconds: (passed, seconds) =>
      replay ? limitMilliseconds : Math.min(seconds * 1000, limitMilliseconds - passed),
    stop: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt),
  };
}

function createInjector(world, random, killsPerMinute, replay) {
  const table = Object.entries(faults)
    .filter(([, fault]) => fault.isPossible?.(world) ?? true)
    .map(([name, fault]) => ({ name, ...fault }));
  const killShare =
    table.filter(({ isKill }) => isKill).reduce((sum, { weight }) => sum + weight, 0) /
    table.reduce((sum, { weight }) => sum + weight, 0);
  const pauseMilliseconds = (60_000 * killShare) / killsPerMinute;
  const totals = new Map(Object.keys(faults).map((name) => [name, { injected: 0, survived: 0 }]));
  let sinceCheck = [];

  async function inject(name, drawn) {
    world.history.addFault({ name, drawn });
    const isInjected = (await faults[name].run(world, drawn)) !== false;
    if (!isInjected) return;
    totals.get(name).injected += 1;
    sinceCheck.push(name);
  }

  async function injectDrawn(end, milliseconds) {
    const running = new Set();
    const endsAt = world.history.now() + milliseconds;
    while (world.history.now() < endsAt && !end.isInterrupted) {
      const { name, draw } = random.pickWeighted(table);
      const fault = inject(name, draw(random)).finally(() => running.delete(fault));
      running.add(fault);
      await sleep(pauseMilliseconds * (0.5 + random.next()));
    }
    await Promise.all(running);
  }

  async function injectAgain() {
    const startedAt = world.history.now() - replay[0].at;
    await Promise.all(
      replay.map(async ({ at, name, drawn }) => {
        await sleep(Math.max(0, startedAt + at - world.history.now()));
        await inject(name, drawn);
      }),
    );
  }

  return {
    totals,
    get kills() {
      return [...totals].reduce((sum, [name, { injected }]) => sum + (faults[name].isKill ? injected : 0), 0);
    },
    run: (end, milliseconds) => (replay ? injectAgain() : injectDrawn(end, milliseconds)),
    markSurvived(isHealed) {
      if (isHealed) for (const name of sinceCheck) totals.get(name).survived += 1;
      sinceCheck = [];
    },
  };
}

/** Everything must be well again by itself: both services ready, and each operation done through each of them. */
async function waitUntilHealed(world, crowd, report, when) {
  const startedAt = world.history.now();
  const passed = () => world.history.now() - startedAt;
  for (const service of world.services) {
    while (!(await service.isReady())) {
      if (passed() > healMilliseconds) {
        report.add('everything heals', { when, service: service.index, lines: service.lines.slice(-5) });
        return undefined;
      }
      await sleep(100);
    }
  }
  for (const service of world.services) {
    if (!(await isServing(world, crowd, service.index))) {
      report.add('everything heals', { when, service: service.index, lines: service.lines.slice(-5) });
      return undefined;
    }
  }
  return passed();
}

async function isServing(world, crowd, service) {
  const until = world.history.now() + probeMilliseconds;
  const drawn = { integer: () => service, isTrue: () => false };
  while (world.history.now() < until) {
    const userId = await crowd.createUser(drawn);
    const phone = crowd.newPhone();
    const send = await crowd.call(
      'send',
      service,
      '/User/phone-number/send-code',
      { id: userId, phoneNumber: phone },
      { note: { userId, phone } },
    );
    const text = crowd.newestText(userId);
    if (send.status === 204 && text) {
      const verify = await crowd.call(
        'verify',
        service,
        '/User/phone-number/verify',
        { id: userId, code: text.code },
        { note: { userId, phone, code: text.code } },
      );
      const row = {
        individualId: userId,
        transactionId: `probe-${userId}`,
        amount: '1.25',
        currency: 'EUR',
        timeStamp: '2026-01-01T00:00:00Z',
      };
      world.history.noteRows([row]);
      const record = await crowd.call(
        'record',
        service,
        '/app/record-transactions',
        { transactions: [row] },
        { note: { individualId: userId, rows: [row.transactionId] } },
      );
      const list = await crowd.call(
        'list',
        service,
        '/app/get-all-transactions',
        { individualId: userId, dataBatch: 1 },
        { note: { individualId: userId, known: record.status === 200 ? 1 : 0 } },
      );
      if (list.status === 200) list.entry.count = list.json.transactionCount;
      const streams = [
        await crowd.call('export', service, '/app/export-transactions', { individualId: userId }),
        await crowd.call('statement', service, '/app/statement', { individualId: userId }),
      ];
      if ([verify, record, list, ...streams].every(({ status }) => status === 200)) return true;
    }
    await sleep(500);
  }
  return false;
}

function progressLine(history, injector, report, milliseconds) {
  const minutes = (history.now() / 60_000).toFixed(1);
  const answered = history.calls.filter(({ status }) => status >= 200 && status < 300).length;
  const healed = milliseconds === undefined ? 'not healed' : `healed in ${(milliseconds / 1000).toFixed(1)} s`;
  return `${minutes} min: ${injector.kills} kills, ${history.faults.length} faults, ${history.calls.length} calls (${answered} successful), ${history.texts.length} texts; ${healed}; violations so far: ${report.count + countUnexpected(history)}`;
}

function printResult({ history, injector, report, print, seed, movedShards }) {
  print('\n| fault | injected | survived |\n|---|---:|---:|');
  for (const [name, { injected, survived }] of injector.totals) {
    if (injected > 0) print(`| ${name} | ${injected} | ${survived} |`);
  }
  const byStatus = new Map();
  for (const { operation, status } of history.calls) {
    const key = `${operation} ${status || 'no answer'}`;
    byStatus.set(key, (byStatus.get(key) ?? 0) + 1);
  }
  print('\n| answers | calls |\n|---|---:|');
  for (const [key, count] of [...byStatus].sort(([a], [b]) => a.localeCompare(b))) print(`| ${key} | ${count} |`);
  const longest = history.calls.reduce((most, { at, endedAt = at }) => Math.max(most, endedAt - at), 0);
  print(
    `\nLongest request: ${(longest / 1000).toFixed(1)} s. Kills: ${injector.kills}. Uncaught errors: ${history.lines.filter(isUncaught).length}.`,
  );
  if (movedShards !== undefined) print(`Moves of a shard that were completed: ${movedShards}.`);
  for (const { service, line } of history.lines) print(`Service ${service}: ${line}`);
  for (const violation of report.violations.slice(0, 20)) print(`VIOLATION ${JSON.stringify(violation)}`);
  print(
    report.count === 0
      ? 'No violation.'
      : `${report.count} violations. Replay with --replay and the history, seed ${seed}.`,
  );
}
