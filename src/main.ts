#!/usr/bin/env node
/** From the command line to a command. Nothing else ends the process. */
import { Command } from 'commander';
import { Problem, StartError } from './errors.ts';
import { version } from './version.ts';

const program = new Command('ledgerline')
  .description('Phone verification and wallet activity behind one bearer-token API.')
  .version(version);

type CommandFunction = (...given: never[]) => Promise<number>;

/** A command takes what it declared: its arguments, then its options. Its code is loaded when it runs, and no other's. */
function run<Name extends string>(load: () => Promise<Record<Name, CommandFunction>>, name: Name) {
  return async (...given: unknown[]) => {
    try {
      const command = (await load())[name] as (...given: unknown[]) => Promise<number>;
      process.exit(await command(...given));
    } catch (error) {
      console.error((await isExplained(error)) ? (error as Error).message : error);
      process.exit(1);
    }
  };
}

async function isExplained(error: unknown): Promise<boolean> {
  const { ConfigError } = await import('./config/load.ts');
  return error instanceof StartError || error instanceof ConfigError || error instanceof Problem;
}

/** The filters of the list, as options of a command. */
function withFilterOptions(command: Command): Command {
  return command
    .option('--from <time>', 'first moment')
    .option('--to <time>', 'last moment')
    .option('--amount-from <amount>', 'least amount')
    .option('--amount-to <amount>', 'largest amount')
    .option('--type <type>', 'only this type')
    .option('--category <category>', 'only this category')
    .option('--status <status>', 'only this status')
    .option('--currency <code>', 'only this currency')
    .option('--search <text>', 'part of a name, a note or an id');
}

const guardCommands = () => import('./cli/guard.ts');
const webhookCommands = () => import('./cli/webhooks.ts');

program
  .command('serve')
  .description('start the service; the sandbox, unless MODE=production')
  .option('--fresh', 'empty the sandbox first')
  .action(run(() => import('./cli/serve.ts'), 'serve'));
program
  .command('migrate')
  .description('bring the schema of the database up to date')
  .option('--plan', 'say what would be applied and which tables it would lock, and change nothing')
  .option('--contract', 'also remove what only older releases use; when none of them runs any more')
  .action(run(() => import('./cli/migrate.ts'), 'migrate'));
program
  .command('distribute')
  .description('distribute the tables of individuals over the workers of a Citus; running it again is safe')
  .option('--shards <number>', 'how many shards; it cannot be changed cheaply later', '32')
  .action(run(() => import('./cli/distribute.ts'), 'distribute'));
program
  .command('token')
  .description('mint an access token of the embedded issuer')
  .option('--scope <scopes>', 'scopes, separated by spaces; all of them by default')
  .option('--user <id>', 'bind the token to one user')
  .action(run(() => import('./cli/token.ts'), 'token'));
program
  .command('keys')
  .description('make the keys and the client that production needs')
  .option('--client <id>', 'name of the client', 'backend')
  .action(run(() => import('./cli/keys.ts'), 'keys'));
program
  .command('import')
  .argument('<file>', 'the file, or - for standard input')
  .description('record transactions from NDJSON, CSV or camt.053; running it again is safe')
  .option('--format <format>', 'ndjson, csv or camt.053; by the file name if not given')
  .option('--map <fields>', 'CSV: columns of the file by our fields, such as amount=Betrag,timeStamp=Datum')
  .option('--set <fields>', 'CSV: fixed values, such as currency=EUR')
  .option('--delimiter <character>', 'CSV: between cells', ',')
  .option('--quote <character>', 'CSV: around cells; empty for none', '"')
  .option('--encoding <name>', 'CSV: of the text', 'utf-8')
  .option('--decimal-comma', 'CSV: amounts such as 1.234,56')
  .option('--signed', 'CSV: a negative amount is a debit, another a credit')
  .option('--dates <order>', 'CSV: iso, dmy or mdy', 'iso')
  .option('--individual <id>', 'CSV and camt.053: whose transactions they all are')
  .option('--accounts <ids>', 'camt.053: individuals by account, such as DE02…=17,DE89…=18')
  .option('--dry-run', 'say what would become of the rows, and write nothing')
  .option('--report <file>', 'write every refused row there, with its line and reasons')
  .action(run(() => import('./cli/import.ts'), 'importTransactions'));
program
  .command('import-users')
  .argument('<file>', 'CSV or NDJSON with id, phone, verified; - for standard input')
  .description('bring users and the phones they have verified elsewhere')
  .option('--report <file>', 'write every refused user there, with its line and reasons')
  .action(run(() => import('./cli/import-users.ts'), 'importUsers'));
withFilterOptions(program.command('export'))
  .argument('<individual>', 'whose transactions')
  .description('write transactions as the list would give them')
  .option('--format <format>', 'csv or ndjson', 'csv')
  .option('--output <file>', 'where to; standard output if not given')
  .option('--erased', 'the retained transactions of an erased user, whatever the filters')
  .action(run(() => import('./cli/export.ts'), 'exportTransactions'));
withFilterOptions(program.command('statement'))
  .argument('<individual>', 'whose transactions')
  .description('write a statement as PDF')
  .option('--output <file>', 'where to; standard output if not given')
  .option('--time-zone <name>', 'IANA time zone of the dates', 'UTC')
  .option('--locale <tag>', 'language of the labels, and form of dates and amounts', 'en')
  .action(run(() => import('./cli/statement.ts'), 'statement'));
program
  .command('erase-user')
  .argument('<id>', 'the user')
  .description('erase a user: everything about the person at once, the transactions after their retention')
  .action(run(() => import('./cli/erase-user.ts'), 'eraseUser'));
program
  .command('erased')
  .description('list the ids of erased users, to erase them again after a restore')
  .requiredOption('--since <date>', 'erased on or after this date')
  .action(run(() => import('./cli/erase-user.ts'), 'listErased'));
program
  .command('retention')
  .description('remove what has outlived its term now, as the service does every ten minutes')
  .option('--dry-run', 'say how many rows of each kind would be removed, and remove nothing')
  .option('--json', 'for machines')
  .action(run(() => import('./cli/retention.ts'), 'retention'));
program
  .command('trace-user')
  .argument('<id>', 'whose verifications')
  .description('tell what became of a user’s codes: sent by whom, delivered, attempts, refusals')
  .option('--json', 'as the operator’s endpoint gives it')
  .action(run(() => import('./cli/trace-user.ts'), 'traceUser'));
const guard = program.command('guard').description('the rules against abuse: see docs/abuse.md');
guard
  .command('rules')
  .description('how the rules stand, and what they decided in 24 hours')
  .action(run(guardCommands, 'guardRules'));
guard
  .command('mode')
  .argument('<rule>')
  .argument('<mode>', 'off, shadow, enforce; or configured, to go back to the setting')
  .description('change the mode of a rule; running services follow within seconds')
  .action(run(guardCommands, 'guardMode'));
guard.command('blocks').description('who is blocked now').action(run(guardCommands, 'guardBlocks'));
guard
  .command('lift')
  .argument('<what>', 'a block as listed, such as user:17; a phone number; or a client address')
  .description('lift a block and take back what was counted')
  .action(run(guardCommands, 'guardLift'));
guard
  .command('safe-list')
  .description('numbers that the rules about destinations leave alone')
  .option('--add <number>', 'add a number')
  .option('--add-prefix <digits>', 'add all numbers that start so, such as +447400')
  .option('--remove <entry>', 'remove an entry, as listed')
  .action(run(guardCommands, 'guardSafeList'));
guard
  .command('decisions')
  .description('what the rules refused, or would have, newest first')
  .option('--rule <rule>', 'only this rule')
  .option('--shadow', 'only what would have been refused')
  .option('--user <id>', 'only this user')
  .option('--count <number>', 'how many', '50')
  .action(run(guardCommands, 'guardDecisions'));
guard.command('actions').description('what operators did, and who').action(run(guardCommands, 'guardActions'));
program
  .command('health')
  .description('ask the service on this machine whether it is ready')
  .action(run(() => import('./cli/health.ts'), 'health'));
program
  .command('grants')
  .description('print what the role of the service must be allowed to do')
  .requiredOption('--role <name>', 'the role that the service logs in as')
  .option('--apply', 'grant it, as the owner of the schema')
  .action(run(() => import('./cli/grants.ts'), 'grants'));
const webhooks = program.command('webhooks').description('where events are sent: see docs/events.md');
webhooks.command('list').description('the endpoints, and how they do').action(run(webhookCommands, 'webhooksList'));
webhooks
  .command('create')
  .argument('<url>', 'https, at a public address')
  .description('make an endpoint and show its secret')
  .option('--types <types>', 'event types, separated by commas; all if not given')
  .option('--description <text>', 'a text for people')
  .action(run(webhookCommands, 'webhooksCreate'));
webhooks
  .command('update')
  .argument('<id>')
  .description('change an endpoint')
  .option('--url <url>', 'another URL')
  .option('--types <types>', 'other event types, separated by commas; empty for all')
  .option('--description <text>', 'another text; empty for none')
  .action(run(webhookCommands, 'webhooksUpdate'));
webhooks
  .command('enable')
  .argument('<id>')
  .description('send events again')
  .action(run(webhookCommands, 'webhooksEnable'));
webhooks
  .command('disable')
  .argument('<id>')
  .description('send nothing more; what is due fails')
  .action(run(webhookCommands, 'webhooksDisable'));
webhooks
  .command('delete')
  .argument('<id>')
  .description('remove an endpoint with its deliveries')
  .action(run(webhookCommands, 'webhooksDelete'));
webhooks
  .command('rotate-secret')
  .argument('<id>')
  .description('make a new secret and show it')
  .option('--overlap <seconds>', 'how long the earlier secrets sign as well', '86400')
  .action(run(webhookCommands, 'webhooksRotateSecret'));
webhooks
  .command('test')
  .argument('<id>')
  .description('send a test event now')
  .action(run(webhookCommands, 'webhooksTest'));
webhooks
  .command('replay')
  .argument('<id>')
  .description('send events again, delivered or not')
  .option('--from <time>', 'first time')
  .option('--to <time>', 'last time; now if not given')
  .option('--event <ids...>', 'or these events')
  .action(run(webhookCommands, 'webhooksReplay'));
webhooks
  .command('deliveries')
  .argument('<id>')
  .description('the latest deliveries, newest first')
  .option('--state <state>', 'due, delivered or failed')
  .option('--count <number>', 'how many', '50')
  .action(run(webhookCommands, 'webhooksDeliveries'));
program
  .command('doctor')
  .description('check settings, machine, database, issuer and gateways; one line each, with cause and cure')
  .option('--json', 'for machines')
  .option('--token <token>', 'verify this access token as the service would')
  .option('--restored', 'after a restore: check that counts, rows and blocks agree on a sample')
  .option('--erased <file>', 'with --restored: erase again the ids that `ledgerline erased` listed')
  .action(run(() => import('./cli/doctor/doctor.ts'), 'doctor'));

await program.parseAsync();
