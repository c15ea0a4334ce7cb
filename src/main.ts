#!/usr/bin/env node
/** From the command line to a command. Nothing else ends the process. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { doctor } from './cli/doctor.ts';
import { keys } from './cli/keys.ts';
import { migrate } from './cli/migrate.ts';
import { serve } from './cli/serve.ts';
import { token } from './cli/token.ts';
import { ConfigError } from './config.ts';
import { StartError } from './errors.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('ledgerline')
  .description('Phone verification and wallet activity behind one bearer-token API.')
  .version(version);

// oxlint-disable-next-line no-explicit-any -- each command knows the options it declared
const run = (command: (options: any) => Promise<number>) => (options: unknown) =>
  command(options).then(
    (code) => process.exit(code),
    (error: unknown) => {
      const told = error instanceof StartError || error instanceof ConfigError;
      console.error(told ? error.message : error);
      process.exit(1);
    },
  );

program
  .command('serve')
  .description('start the service; the sandbox, unless MODE=production')
  .option('--fresh', 'empty the sandbox first')
  .action(run(serve));
program.command('migrate').description('bring the schema of DATABASE_URL up to date').action(run(migrate));
program
  .command('token')
  .description('mint an access token of the embedded issuer')
  .option('--scope <scopes>', 'scopes, separated by spaces; all of them by default')
  .option('--user <id>', 'bind the token to one user')
  .action(run(token));
program
  .command('keys')
  .description('make the keys and the client that production needs')
  .option('--client <id>', 'name of the client', 'backend')
  .action(run(keys));
program.command('doctor').description('check settings, database, schema and clock').action(run(doctor));

await program.parseAsync();
