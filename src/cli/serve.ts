/** `ledgerline serve`: starts the service and stops it on a signal; as one process, or as a primary with workers. */
import cluster from 'node:cluster';
import { openWorkerEnd } from '../app/processes/worker.ts';
import { startNode } from '../app/processes/node.ts';
import type { App, AppOptions } from '../app/start.ts';
import { loadConfig, type Config } from '../config/load.ts';
import type { Observer } from '../observe.ts';
import { banner } from './banner.ts';
import { openLogOutput, type LogOutput } from './log-output.ts';
import { version } from '../version.ts';
import { rememberIssuer } from './remembered-issuer.ts';
import { listenForSignals, stopSignals, type Signals } from './signals.ts';

export async function serve({ fresh = false }: { fresh?: boolean }): Promise<number> {
  const config = loadConfig(process.env);
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

/** A primary with workers does not need what serves requests. */
async function startApp(options: AppOptions): Promise<App> {
  return (await import('../app/start.ts')).startApp(options);
}

/** A running service, as one process or several. */
export interface Running {
  url: string;
  demo: number | undefined;
  observer: Observer;
  stop(): Promise<void>;
  kill(): void;
  /** Replaces the workers one after the other; absent if there are none. */
  replaceWorkers?(): void;
}

async function serveAsNode(config: Config, fresh: boolean, output: LogOutput): Promise<number> {
  const signals = listenForSignals(isOnTerminal() ? [...stopSignals, 'SIGHUP'] : stopSignals);
  let running: Running | undefined;
  if (!isOnTerminal()) process.on('SIGHUP', () => running && reload(running));
  const options = appOptions(config, fresh, output);
  running = config.processes > 1 ? await startNode(options) : await startApp(options);
  const { url, demo, observer } = running;
  observer.observe({ kind: 'started', version, url, mode: config.mode, processes: config.processes });
  if (config.mode === 'sandbox') {
    await rememberIssuer(config.dataDir, url);
    process.stdout.write(banner(url, demo));
  }
  return untilStopped(running, signals);
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

function untilStopped(running: Running, { first, second }: Signals): Promise<number> {
  return new Promise((resolve) => {
    const fail = failing(running, resolve);
    void first.then(async (signal) => {
      running.observer.observe({ kind: 'stopping', signal });
      try {
        await running.stop();
        running.observer.observe({ kind: 'stopped' });
        resolve(0);
      } catch (error) {
        fail(error, 'stop');
      }
    });
    void second.then(() => {
      running.kill();
      resolve(1);
    });
  });
}

/** Ends the process after an unexpected error. */
function failing({ observer, kill }: Pick<Running, 'observer' | 'kill'>, resolve: (code: number) => void) {
  const fail = (error: unknown, when: string) => {
    observer.observeDefect(error, when);
    kill();
    resolve(1);
  };
  process.on('uncaughtException', (error) => fail(error, 'uncaught'));
  return fail;
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
  end.report(app);
  return new Promise((resolve) => {
    const fail = failing(app, resolve);
    void first.then(end.retire);
    void end.stopAsked.then(app.stop).then(
      () => resolve(0),
      (error: unknown) => fail(error, 'stop'),
    );
  });
}
