/** The faults that can be injected. Each runs to its end; several may run at once. */
import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { behaviours } from './gateways.js';

/** Longest pause of a process or a connection. */
const longestPauseMilliseconds = 3000;

/**
 * By name: how often it is drawn, whether it counts as a kill, and what it does. `draw` takes everything random, so
 * that a replay can do the same again; `run` does it.
 */
export const faults = {
  'kill service': {
    weight: 6,
    isKill: true,
    draw: (random) => ({ service: random.integer(0, 1) }),
    // One that is still starting has nothing to lose; on a busy machine both would be down all the time.
    run(world, { service }) {
      const target = [service, 1 - service].find((index) => world.services[index].isUp);
      return target !== undefined && killProcess(world.services[target].pid);
    },
  },
  'kill a worker': {
    weight: 3,
    isKill: true,
    draw: (random) => ({ share: random.next() }),
    run(world, { share }) {
      const workers = world.services.find(({ hasWorkers }) => hasWorkers).workers();
      return killProcess(workers[Math.floor(share * workers.length)]);
    },
  },
  'kill PostgreSQL': {
    weight: 1,
    isKill: true,
    draw: () => ({}),
    isPossible: (world) => world.database.isStartedAgain,
    run: (world) => killProcess(world.database.processes().postmaster),
  },
  'kill a PostgreSQL backend': {
    weight: 9,
    isKill: true,
    draw: (random) => ({ share: random.next() }),
    run(world, { share }) {
      const { children } = world.database.processes();
      return killProcess(children[Math.floor(share * children.length)]);
    },
  },
  'stop service': {
    weight: 2,
    draw: (random) => ({ service: random.integer(0, 1), milliseconds: drawPause(random) }),
    run: (world, { service, milliseconds }) => pauseProcesses([world.services[service].pid], milliseconds),
  },
  'stop PostgreSQL': {
    weight: 1,
    draw: (random) => ({ milliseconds: drawPause(random) }),
    run(world, { milliseconds }) {
      const { postmaster, children } = world.database.processes();
      return postmaster !== undefined && pauseProcesses([postmaster, ...children], milliseconds);
    },
  },
  'cut database connections': {
    weight: 2,
    draw: (random) => ({ service: random.integer(0, 1) }),
    run: (world, { service }) => world.services[service].postgres.cutAll(),
  },
  'cut database connections half-way': {
    weight: 2,
    draw: (random) => ({ service: random.integer(0, 1), bytes: random.integer(1, 4000) }),
    run: (world, { service, bytes }) => world.services[service].postgres.cutAfter(bytes),
  },
  'freeze database connections': {
    weight: 1,
    draw: (random) => ({ service: random.integer(0, 1), milliseconds: drawPause(random) }),
    run: (world, { service, milliseconds }) => freeze(world.services[service].postgres, milliseconds),
  },
  'move a shard': {
    weight: 4,
    draw: (random) => ({
      share: random.next(),
      ...(random.isTrue(0.3) && { cancelMilliseconds: random.integer(100, 5000) }),
    }),
    isPossible: hasWorkers,
    run: (world, drawn) => world.database.moveShard(drawn),
  },
  'worker away': {
    weight: 3,
    draw: (random) => ({ worker: random.next(), milliseconds: random.integer(500, 8000) }),
    isPossible: hasWorkers,
    async run(world, { worker, milliseconds }) {
      const proxy = workerOf(world, worker);
      proxy.shut();
      await sleep(milliseconds);
      proxy.open();
    },
  },
  'cut worker connections half-way': {
    weight: 2,
    draw: (random) => ({ worker: random.next(), bytes: random.integer(1, 4000) }),
    isPossible: hasWorkers,
    run: (world, { worker, bytes }) => workerOf(world, worker).cutAfter(bytes),
  },
  'freeze worker connections': {
    weight: 1,
    draw: (random) => ({ worker: random.next(), milliseconds: drawPause(random) }),
    isPossible: hasWorkers,
    run: (world, { worker, milliseconds }) => freeze(workerOf(world, worker), milliseconds),
  },
  'cut client connections half-way': {
    weight: 2,
    draw: (random) => ({ service: random.integer(0, 1), bytes: random.integer(1, 2000) }),
    run: (world, { service, bytes }) => world.services[service].http.cutAfter(bytes),
  },
  'freeze client connections': {
    weight: 1,
    draw: (random) => ({ service: random.integer(0, 1), milliseconds: drawPause(random) }),
    run: (world, { service, milliseconds }) => freeze(world.services[service].http, milliseconds),
  },
  'abandoned exports and statements': {
    weight: 2,
    draw: (random) => ({
      service: random.integer(0, 1),
      streams: Array.from({ length: random.integer(1, 12) }, () => ({
        path: random.pick(['/app/export-transactions', '/app/statement']),
        milliseconds: random.integer(0, 2000),
      })),
    }),
    async run(world, { service, streams }) {
      const left = await Promise.all(streams.map((stream) => world.crowd.abandon(service, stream)));
      return left.some(Boolean);
    },
  },
  'slow bodies': {
    weight: 1,
    draw: (random) => ({
      service: random.integer(0, 1),
      path: random.pick(['/connect/token', '/User', '/app/record-transactions']),
      sockets: random.integer(10, 150),
      milliseconds: drawPause(random),
    }),
    run: (world, { service, ...bodies }) => world.crowd.sendSlowly(service, bodies),
  },
  'dead name servers': {
    weight: 1,
    draw: (random) => ({
      service: random.integer(0, 1),
      receivers: Array.from({ length: random.integer(1, 8) }, () => `h${random.integer(1, 1_000_000)}.example.com`),
      milliseconds: drawPause(random),
    }),
    async run(world, { service, receivers, milliseconds }) {
      const endpoints = await Promise.all(
        receivers.map((host) => world.crowd.addReceiver(service, { host, milliseconds })),
      );
      return endpoints.some(Boolean);
    },
  },
  'imports cut': {
    weight: 2,
    draw: (random) => ({
      service: random.integer(0, 1),
      // Before the first row is complete, within a batch, after several.
      imports: Array.from({ length: random.integer(1, 4) }, () => ({
        rows: random.pick([1, 100, 3000]),
        share: random.next(),
        milliseconds: random.integer(0, 500),
      })),
    }),
    async run(world, { service, imports }) {
      const cut = await Promise.all(imports.map((each) => world.crowd.cutImport(service, each)));
      return cut.some(Boolean);
    },
  },
  'gateway misbehaves': {
    weight: 5,
    draw: (random) => ({
      gateway: random.integer(0, 2),
      behaviour: random.pick(Object.keys(behaviours)),
      milliseconds: random.integer(1000, 8000),
    }),
    async run(world, { gateway, behaviour, milliseconds }) {
      world.gateways.all[gateway].behave(behaviour);
      await sleep(milliseconds);
      world.gateways.all[gateway].behave('accept');
    },
  },
  'all gateways misbehave': {
    weight: 1,
    draw: (random) => ({ behaviour: random.pick(Object.keys(behaviours)), milliseconds: random.integer(1000, 4000) }),
    async run(world, { behaviour, milliseconds }) {
      for (const gateway of world.gateways.all) gateway.behave(behaviour);
      await sleep(milliseconds);
      for (const gateway of world.gateways.all) gateway.behave('accept');
    },
  },
  'clock jump': {
    weight: 1,
    draw: (random) => ({ seconds: random.pick([-2, 1, 5, 61, 301, 661]) }),
    async run(world, { seconds }) {
      world.history.moveClock(seconds * 1000);
      await writeFile(`${world.clockFile}.new`, String(world.history.clockMilliseconds));
      await rename(`${world.clockFile}.new`, world.clockFile);
    },
  },
  'full disk': {
    weight: 0.5,
    draw: (random) => ({ milliseconds: drawPause(random) }),
    isPossible: (world) => world.database.canFillDisk,
    async run(world, { milliseconds }) {
      try {
        await world.database.fillDisk();
        await sleep(milliseconds);
      } finally {
        await world.database.freeDisk();
      }
    },
  },
};

/** Whether the database is a Citus. */
function hasWorkers(world) {
  return world.database.workers.length > 0;
}

function workerOf({ database: { workers } }, share) {
  return workers[Math.floor(share * workers.length)];
}

function drawPause(random) {
  return random.integer(200, longestPauseMilliseconds);
}

/** False if there was nothing to kill. */
function killProcess(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

async function pauseProcesses(pids, milliseconds) {
  const signal = (name) => pids.filter((pid) => isSignalled(pid, name)).length;
  if (signal('SIGSTOP') === 0) return false;
  await sleep(milliseconds);
  signal('SIGCONT');
  return true;
}

function isSignalled(pid, name) {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

async function freeze(proxy, milliseconds) {
  proxy.freeze();
  await sleep(milliseconds);
  proxy.thaw();
}
