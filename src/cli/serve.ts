/** `ledgerline serve`: starts the service and stops it on a signal; as one process, or as a primary with workers. */
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { openWorkerEnd } from '../app/processes/worker.ts';
import { startNode } from '../app/processes/node.ts';
import type { App, AppOptions, Running } from '../app/start.ts';
import { loadConfig, type Config } from '../config/load.ts';
import type { Observer } from '../monitoring/observe.ts';
import { banner } from './banner.ts';
import { openLogOutput, type LogOutput } from './log-output.ts';
import { version } from '../version.ts';
import { rememberIssuer } from './remembered-issuer.ts';
import { listenForSignals, stopSignals, type Signals } from './signals.ts';

/**
 * A full collection of garbage delays every request by up to 60 ms, so there should be few. While many requests wait for
 * a gateway, V8 learns that their objects live long, and from then on creates such objects in the old generation, where
 * only a full collection removes them. And it lets the old generation grow by two fifths only, while the service has
 * little to do. Without both rules a full collection came every 5 to 15 s after a rush; now none comes in a minute of the
 * same load (bench/profile.md).
 */
function collectRarely(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--heap-growing-percent=200');
}

export async function serve({ fresh = false }: { fresh?: boolean }): Promise<number> {
  const config = loadConfig(process.env);
  collectRarely();
  // The reader of the output is gone. That is no reason to stop.
  process.stdout.on('error', () => {});
  const output = openLogOutput(config.processes > 1);
  try {
    if (cluster.isWorker) return await serveAsWorker(config, fresh, output);
    return await serveAsNode(config, fresh, output);
  } finally {
    output.close();
  }
}

function appOptions(config: Config, fresh: boolean, output: LogOutput): AppOptions {
  return {
    config,
    fresh,
    log: output.write,
    terminal: (text) => void process.stdout.write(text),
    logFormat: config.logFormat ?? (process.stdout.isTTY ? 'text' : 'json'),
  };
}

/** Added to the time that a stop may take by its settings. */
const graceSeconds = 10;

/** How long a worker with an uncaught error goes on until its replacement serves. */
const replacementMilliseconds = 30_000;

/** A primary with workers does not need what serves requests. */
async function startApp(options: AppOptions): Promise<App> {
  return (await import('../app/start.ts')).startApp(options);
}

async function serveAsNode(config: Config, fresh: boolean, output: LogOutput): Promise<number> {
  const signals = listenForSignals(isOnTerminal() ? [...stopSignals, 'SIGHUP'] : stopSignals);
  let running: Running | undefined;
  if (!isOnTerminal()) process.on('SIGHUP', () => running && reload(running));
  const options = {
    ...appOptions(config, fresh, output),
    // Like the banner, for the person who tries it out.
    ...(config.mode === 'sandbox' && { report: (step: string) => void process.stdout.write(`  ${step} …\n`) }),
  };
  running = config.processes > 1 ? await startNode(options) : await startApp(options);
  const { url, demo, observer } = running;
  const uncaught = firstUncaughtError(observer);
  observer.observe({ kind: 'started', version, url, mode: config.mode, processes: config.processes });
  if (config.mode === 'sandbox') {
    await rememberIssuer(config.dataDir, url);
    process.stdout.write(banner(url, demo));
  }
  return untilStopped(running, { ...signals, uncaught }, config);
}

/** On a terminal SIGHUP means that the terminal is gone, else that somebody asks for a reload. */
function isOnTerminal(): boolean {
  return process.stdout.isTTY;
}

function reload({ replaceWorkers, observer }: Running): void {
  if (replaceWorkers) replaceWorkers();
  else
    observer.observe({
      kind: 'reload-ignored',
      cure: 'Restart the service. Only with several processes does SIGHUP replace them.',
    });
}

interface StopCauses extends Signals {
  uncaught: Promise<undefined>;
}

async function untilStopped(
  running: Running,
  { first, second, uncaught }: StopCauses,
  config: Config,
): Promise<number> {
  const { observer } = running;
  const stop = async () => {
    const cause = await Promise.race([first, uncaught]);
    observer.observe({ kind: 'stopping', ...(cause ? { signal: cause } : { reason: 'uncaught error' }) });
    const stopping = running.stop();
    const hasStopped = await stopsCleanly(cause ? stopping : Promise.race([stopping, tooLate(config)]), running);
    if (hasStopped) observer.observe({ kind: 'stopped' });
    // After an uncaught error its supervisor starts it again.
    return hasStopped && cause ? 0 : 1;
  };
  return Promise.race([
    stop(),
    second.then(() => {
      running.kill();
      return 1;
    }),
  ]);
}

/** In an unknown state a stop may never end. */
async function tooLate({ drainSeconds, stopSeconds }: Config): Promise<never> {
  await sleep((drainSeconds + stopSeconds + graceSeconds) * 1000, undefined, { ref: false });
  throw new Error('The stop takes too long.');
}

/** Whether the stop succeeded. If it did not, what is left is ended at once. */
async function stopsCleanly(stopping: Promise<void>, { observer, kill }: Pick<Running, 'observer' | 'kill'>) {
  try {
    await stopping;
    return true;
  } catch (error) {
    observer.observeDefect(error, 'stop');
    kill();
    return false;
  }
}

/**
 * Resolves when an error was not handled by anybody. Its state is unknown then: the process finishes the requests in
 * flight, and ends. Later ones are only logged and counted.
 */
function firstUncaughtError({ observeUncaught }: Observer): Promise<undefined> {
  return new Promise((resolve) => {
    process.on('uncaughtException', (error) => {
      observeUncaught(error);
      resolve(undefined);
    });
  });
}

/**
 * A worker stops when the primary asks it to. Ctrl-C reaches every process; only the primary acts on it. On SIGTERM the
 * primary replaces the worker, unless the whole node stops.
 */
async function serveAsWorker(config: Config, fresh: boolean, output: LogOutput): Promise<number> {
  const { first } = listenForSignals(['SIGTERM']);
  process.on('SIGINT', () => {}).on('SIGHUP', () => {});
  const end = openWorkerEnd(config.processes);
  const app = await startApp({ ...appOptions(config, fresh, output), siblings: end.siblings });
  const uncaught = firstUncaughtError(app.observer);
  end.report(app);
  const failed = uncaught.then(async () => {
    end.retire();
    // Without a replacement it ends by itself, and the primary starts one.
    await sleep(replacementMilliseconds, undefined, { ref: false });
  });
  const retired = first.then(async () => {
    end.retire();
    await end.stopAsked;
  });
  await Promise.race([end.stopAsked, retired, failed]);
  const isClean = await stopsCleanly(app.stop(), app);
  await end.sendFigures();
  return isClean ? 0 : 1;
}
