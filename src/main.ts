#!/usr/bin/env node
/** Runs a command of the command line. No other file ends the process. */
import { setImmediate } from 'node:timers/promises';
import { Command } from 'commander';
import { addCommands, type CommandFunction } from './commands.ts';
import { Problem, StartError } from './errors.ts';
import { version } from './version.ts';

// Node 20 has no navigator. Without one the database driver makes a Response to find out where it runs, and Node loads
// all of fetch for it: 40 ms of every start. Commands, and the driver with them, are loaded after this.
if (!('navigator' in globalThis))
  Object.assign(globalThis, { navigator: { userAgent: `Node.js/${process.versions.node}` } });

const program = new Command('ledgerline')
  .description('Phone verification and wallet activity behind one bearer-token API.')
  .version(version);

/** Why standard output or the terminal could not be written. A command still ends what it has started. */
let outputFailure: NodeJS.ErrnoException | undefined;
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => (outputFailure ??= error));

function run<Name extends string>(load: () => Promise<Record<Name, CommandFunction>>, name: Name) {
  return async (...given: unknown[]) => {
    const work = load().then((commands) => (commands[name] as (...given: unknown[]) => Promise<number>)(...given));
    const status = await work.catch(explain);
    // The failure of the last write is known only now.
    await setImmediate();
    process.exit(outputFailure ? statusWithoutOutput(outputFailure) : status);
  };
}

async function explain(error: unknown): Promise<number> {
  if (error !== outputFailure) console.error((await isExplained(error)) ? (error as Error).message : error);
  return 1;
}

/** If the reader has left, as `head` does: 128 + SIGPIPE, which shells report for other programs too. */
function statusWithoutOutput({ code }: NodeJS.ErrnoException): number {
  if (code === 'EPIPE') return 141;
  console.error(`The output cannot be written (${code}).`);
  return 1;
}

async function isExplained(error: unknown): Promise<boolean> {
  const { ConfigError } = await import('./config/load.ts');
  return error instanceof StartError || error instanceof ConfigError || error instanceof Problem;
}

addCommands(program, run);
await program.parseAsync();
