/** The commands of `ledgerline` with their arguments and options. Only the code of the command that runs is loaded. */
import type { Command } from 'commander';

export type CommandFunction = (...given: never[]) => Promise<number>;

/** Makes the action of a command, from the module that has the function of this name. */
export type RunCommand = <Name extends string>(
  load: () => Promise<Record<Name, CommandFunction>>,
  name: Name,
) => (...given: unknown[]) => Promise<void>;

/** The filters of the list, as options of a command. */
function withFilterOptions(command: Command): Command {
  return command
    .option('--from <time>', 'start of the time range, inclusive')
    .option('--to <time>', 'end of the time range, inclusive')
    .option('--amount-from <amount>', 'smallest amount')
    .option('--amount-to <amount>', 'largest amount')
    .option('--type <type>', 'only this type')
    .option('--category <category>', 'only this category')
    .option('--status <status>', 'only this status')
    .option('--currency <code>', 'only this currency')
    .option('--search <text>', 'part of a name, a note or an id');
}

/** The function of a command receives its declared arguments, then its options. */
export function addCommands(program: Command, run: RunCommand): void {
  program
    .command('serve')
    .description('start the service; the sandbox, unless MODE=production')
    .option('--fresh', 'empty the sandbox first')
    .action(run(() => import('./cli/serve.ts'), 'serve'));
  program
    .command('migrate')
    .description('bring the schema of the database up to date')
    .option('--plan', 'show what would be applied and which tables it would lock, and change nothing')
    .option('--contract', 'also remove what only older releases use; run it when no older release is running')
    .action(run(() => import('./cli/migrate.ts'), 'migrate'));
  program
    .command('distribute')
    .description('distribute the tables of individuals over the workers of a Citus; running it again is safe')
    .option('--shards <number>', 'number of shards; a later change is expensive', '32')
    .action(run(() => import('./cli/distribute.ts'), 'distribute'));
  program
    .command('token')
    .description('issue an access token of the embedded issuer')
    .option('--scope <scopes>', 'scopes, separated by spaces; all of them by default')
    .option('--user <id>', 'bind the token to one user')
    .action(run(() => import('./cli/token.ts'), 'token'));
  program
    .command('keys')
    .description('create the keys and the client that production needs')
    .option('--client <id>', 'name of the client', 'backend')
    .action(run(() => import('./cli/keys.ts'), 'keys'));
  program
    .command('import')
    .argument('<file>', 'the file, or - for standard input')
    .description('record transactions from NDJSON, CSV or camt.053; running it again is safe')
    .option('--format <format>', 'ndjson, csv or camt.053; if not given, decided by the file name')
    .option('--map <fields>', 'CSV: the column of the file for each field, such as amount=Betrag,timeStamp=Datum')
    .option('--set <fields>', 'CSV: values of fields that the file lacks, such as currency=EUR')
    .option('--delimiter <character>', 'CSV: separator between cells; a comma if not given')
    .option('--quote <character>', 'CSV: quote character around cells, empty for none; " if not given')
    .option('--encoding <name>', 'CSV: encoding of the file; utf-8 if not given')
    .option('--decimal-comma', 'CSV: amounts such as 1.234,56')
    .option('--signed', 'CSV: a negative amount is a debit, any other a credit')
    .option('--dates <order>', 'CSV: order of day, month and year: iso, dmy or mdy; iso if not given')
    .option(
      '--individual <id>',
      'CSV and camt.053: the individual to whom all transactions belong, if the file does not say it',
    )
    .option('--accounts <ids>', 'camt.053: individuals by account, such as DE02…=17,DE89…=18')
    .option('--dry-run', 'show the result that each row would have, and write nothing')
    .option('--report <file>', 'write every refused row to this file, with its line and reasons')
    .action(run(() => import('./cli/import.ts'), 'importTransactions'));
  program
    .command('import-users')
    .argument('<file>', 'CSV or NDJSON with id, phone, verified; - for standard input')
    .description('import users and the phones that they have verified elsewhere')
    .option('--report <file>', 'write every refused user to this file, with its line and reasons')
    .action(run(() => import('./cli/import-users.ts'), 'importUsers'));
  withFilterOptions(program.command('export'))
    .argument('<individual>', 'whose transactions')
    .description('write transactions as the list would return them')
    .option('--format <format>', 'csv or ndjson', 'csv')
    .option('--output <file>', 'file to write; standard output if not given')
    .option('--details', 'with the details of each transaction')
    .option('--erased', 'the retained transactions of an erased user, with details; filters are ignored')
    .action(run(() => import('./cli/export.ts'), 'exportTransactions'));
  withFilterOptions(program.command('statement'))
    .argument('<individual>', 'whose transactions')
    .description('write a statement as PDF')
    .option('--output <file>', 'file to write; standard output if not given')
    .option('--time-zone <name>', 'IANA time zone of the dates, also of --from and --to', 'UTC')
    .option('--locale <tag>', 'language of the labels, and format of dates and amounts', 'en')
    .action(run(() => import('./cli/statement.ts'), 'statement'));
  program
    .command('erase-user')
    .argument('<id>', 'the user')
    .description('erase a user: everything about the person immediately, the transactions after their retention')
    .action(run(() => import('./cli/erase-user.ts'), 'eraseUser'));
  program
    .command('erased')
    .description('list the ids of erased users, to erase them again after a restore')
    .requiredOption('--since <date>', 'erased on or after this date')
    .action(run(() => import('./cli/erased.ts'), 'listErased'));
  program
    .command('retention')
    .description('delete expired data now, as the service does every ten minutes')
    .option('--dry-run', 'show how many rows of each kind would be deleted, and delete nothing')
    .option('--json', 'print JSON')
    .action(run(() => import('./cli/retention.ts'), 'retention'));
  program
    .command('find-user')
    .description('show who has a phone number, when it was verified and when it was last used; audited')
    .requiredOption('--phone <number>', 'the whole number, in E.164 format')
    .option('--free', 'unlink the number from the user: it has changed hands')
    .option('--reason <text>', 'why it is freed, for the audit')
    .action(run(() => import('./cli/find-user.ts'), 'findUser'));
  program
    .command('trace-user')
    .argument('<id>', 'the user')
    .description('show the history of a user’s codes: gateway, delivery, attempts, refusals')
    .option('--json', 'print JSON, as the operator’s endpoint returns it')
    .action(run(() => import('./cli/trace-user.ts'), 'traceUser'));
  const guard = program.command('guard').description('the rules against abuse: see docs/abuse.md');
  guard
    .command('rules')
    .description('show the mode of each rule and its decisions in the last 24 hours')
    .action(run(() => import('./cli/guard/rules.ts'), 'guardRules'));
  guard
    .command('mode')
    .argument('<rule>')
    .argument('<mode>', 'off, shadow or enforce; or configured, to return to the setting')
    .description('change the mode of a rule; running services apply it within seconds')
    .action(run(() => import('./cli/guard/mode.ts'), 'guardMode'));
  guard
    .command('blocks')
    .description('list the current blocks')
    .action(run(() => import('./cli/guard/blocks.ts'), 'guardBlocks'));
  guard
    .command('lift')
    .argument('<what>', 'a block as listed, such as user:17; a phone number; or a client address')
    .description('lift a block and reset its counters')
    .action(run(() => import('./cli/guard/lift.ts'), 'guardLift'));
  guard
    .command('safe-list')
    .description('phone numbers that the rules about destinations do not check')
    .option('--add <number>', 'add a number')
    .option('--add-prefix <digits>', 'add all numbers that start with these digits, such as +447400')
    .option('--remove <entry>', 'remove an entry, as listed')
    .action(run(() => import('./cli/guard/safe-list.ts'), 'guardSafeList'));
  guard
    .command('decisions')
    .description('list the requests that the rules refused, or would have refused, newest first')
    .option('--rule <rule>', 'only this rule')
    .option('--shadow', 'only requests that would have been refused')
    .option('--user <id>', 'only this user')
    .option('--count <number>', 'how many', '50')
    .action(run(() => import('./cli/guard/decisions.ts'), 'guardDecisions'));
  guard
    .command('actions')
    .description('list the actions of operators')
    .action(run(() => import('./cli/guard/actions.ts'), 'guardActions'));
  program
    .command('health')
    .description('ask the service on this machine whether it is ready')
    .action(run(() => import('./cli/health.ts'), 'health'));
  program
    .command('grants')
    .description('print the grants that the role of the service needs')
    .requiredOption('--role <name>', 'the role that the service logs in as')
    .option('--apply', 'apply the grants, as the owner of the schema')
    .action(run(() => import('./cli/grants.ts'), 'grants'));
  const webhooks = program.command('webhooks').description('where events are sent: see docs/events.md');
  webhooks
    .command('list')
    .description('list the endpoints and their health')
    .action(run(() => import('./cli/webhooks/list.ts'), 'webhooksList'));
  webhooks
    .command('create')
    .argument('<url>', 'https, at a public address')
    .description('create an endpoint and show its secret')
    .option('--types <types>', 'event types, separated by commas; all if not given')
    .option('--description <text>', 'a description for people')
    .action(run(() => import('./cli/webhooks/create.ts'), 'webhooksCreate'));
  webhooks
    .command('update')
    .argument('<id>')
    .description('change an endpoint')
    .option('--url <url>', 'new URL')
    .option('--types <types>', 'new event types, separated by commas; empty for all')
    .option('--description <text>', 'new description; empty for none')
    .action(run(() => import('./cli/webhooks/update.ts'), 'webhooksUpdate'));
  webhooks
    .command('enable')
    .argument('<id>')
    .description('send events again')
    .action(run(() => import('./cli/webhooks/enable.ts'), 'webhooksEnable'));
  webhooks
    .command('disable')
    .argument('<id>')
    .description('stop sending; due deliveries become failed')
    .action(run(() => import('./cli/webhooks/disable.ts'), 'webhooksDisable'));
  webhooks
    .command('delete')
    .argument('<id>')
    .description('delete an endpoint and its deliveries')
    .action(run(() => import('./cli/webhooks/delete.ts'), 'webhooksDelete'));
  webhooks
    .command('rotate-secret')
    .argument('<id>')
    .description('create a new secret and show it')
    .option('--overlap <seconds>', 'how long the earlier secrets are also used to sign', '86400')
    .action(run(() => import('./cli/webhooks/rotate-secret.ts'), 'webhooksRotateSecret'));
  webhooks
    .command('test')
    .argument('<id>')
    .description('send a test event now')
    .action(run(() => import('./cli/webhooks/test.ts'), 'webhooksTest'));
  webhooks
    .command('replay')
    .argument('<id>')
    .description('send events again, delivered or not')
    .option('--from <time>', 'start of the time range, inclusive')
    .option('--to <time>', 'end of the time range, inclusive; now if not given')
    .option('--event <ids...>', 'ids of events, instead of a time range')
    .action(run(() => import('./cli/webhooks/replay.ts'), 'webhooksReplay'));
  webhooks
    .command('deliveries')
    .argument('<id>')
    .description('list the latest deliveries, newest first')
    .option('--state <state>', 'due, delivered or failed')
    .option('--count <number>', 'how many', '50')
    .action(run(() => import('./cli/webhooks/deliveries.ts'), 'webhooksDeliveries'));
  program
    .command('doctor')
    .description('check settings, machine, database, issuer and gateways; one line each, with cause and fix')
    .option('--json', 'print JSON')
    .option('--token-file <file>', 'verify the access token in this file as the service would; - is standard input')
    .option('--restored', 'after a restore: check the data on a sample, and give no id out again')
    .option(
      '--ids-after <id>',
      'with --restored: the last user id before the loss; 10,000,000 are skipped if not given',
    )
    .option('--erased <file>', 'with --restored: erase again the users that `ledgerline erased` listed')
    .action(run(() => import('./cli/doctor/doctor.ts'), 'doctor'));
}
