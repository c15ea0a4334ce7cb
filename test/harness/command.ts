/**
 * A command of the command line inside the test's process, in place of `run` of process.ts: starting Node and loading
 * the program take ten times as long as most commands. Signals, exit codes of broken pipes, standard input and the
 * embedded PostgreSQL need a real process.
 */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { startApp } from '../../src/app/start.ts';
import { addCommands, type RunCommand } from '../../src/commands.ts';
import { ConfigError, loadConfig } from '../../src/config/load.ts';
import { Problem, StartError } from '../../src/errors.ts';
import { environment, type Finished } from './process.ts';

/** What main.ts does, but for ending the process. */
export async function runHere(args: string[], settings: Record<string, string> = {}): Promise<Finished> {
  const finished: Finished = { code: null, stdout: '', stderr: '' };
  const action: RunCommand =
    (load, name) =>
    async (...given) => {
      const command = (await load())[name] as (...given: unknown[]) => Promise<number>;
      finished.code = await command(...given);
    };
  const program = new Command('ledgerline').exitOverride();
  program.configureOutput({ writeErr: (text) => void (finished.stderr += text) });
  addCommands(program, action);
  const restore = redirect(finished, environment(settings));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    finished.code = 1;
    // Commander has written its own.
    if (isExplained(error)) console.error(error.message);
    else if (!(error instanceof CommanderError)) console.error(error);
  } finally {
    restore();
  }
  return finished;
}

/**
 * What `serve` says on standard error when it does not start, inside the test's process. With several processes it needs
 * `run`. refusals.test.ts shows that a process prints this, and only this, and ends.
 */
export async function refusedStart(settings: Record<string, string>, fresh = false): Promise<string> {
  try {
    const config = loadConfig(environment(settings));
    const app = await startApp({ config, fresh, log: () => {}, terminal: () => {}, logFormat: 'json' });
    await app.stop();
  } catch (error) {
    if (isExplained(error)) return error.message.trim();
    throw error;
  }
  throw new Error('It has started.');
}

/** Of any other error main.ts prints the stack. */
const isExplained = (error: unknown): error is Error =>
  error instanceof StartError || error instanceof ConfigError || error instanceof Problem;

/** Gives the process another environment, and keeps what it writes. Returns what undoes it. */
function redirect(output: Finished, env: Record<string, string>): () => void {
  const before = { env: process.env, console, stdout: process.stdout, stderr: process.stderr };
  const streamTo = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        output[name] += chunk.toString();
        done();
      },
    });
  const [stdout, stderr] = [streamTo('stdout'), streamTo('stderr')];
  const give = (given: Record<'stdout' | 'stderr', unknown>) => {
    for (const name of ['stdout', 'stderr'] as const)
      Object.defineProperty(process, name, { value: given[name], configurable: true, writable: true });
  };
  process.env = env;
  globalThis.console = new Console({ stdout, stderr });
  give({ stdout, stderr });
  return () => {
    process.env = before.env;
    globalThis.console = before.console;
    give(before);
  };
}
