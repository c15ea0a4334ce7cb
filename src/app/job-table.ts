/** All periodic work of the service. A domain starts its jobs by name, with the function that each of them runs. */
import type { JobSchedule } from './jobs.ts';

const second = 1000;
const minute = 60 * second;

/** The longest pause while no request comes that may give the job something to do. */
const untilRequest = (idleMilliseconds: number) => ({ idleMilliseconds, isWokenByRequests: true });

export const jobTable = {
  // Access
  'issuer-keys': { everyMilliseconds: 2 * second, about: 'Reads the keys of the token issuer until it has them.' },
  // Phone and guard
  'missed-blocks': {
    everyMilliseconds: 30 * second,
    runsOnce: true,
    about: 'Writes the event of a block whose process ended before it could.',
  },
  'confirmation-expiry': {
    everyMilliseconds: 10 * second,
    idleMilliseconds: minute,
    runsOnce: true,
    about: 'Ends confirmations whose time has passed, and removes their terms.',
  },
  'guard-state': {
    everyMilliseconds: 5 * second,
    ...untilRequest(10 * second),
    about: 'Reads the modes and the safe list, which operators can change on other nodes.',
  },
  'guard-decisions': {
    everyMilliseconds: second,
    ...untilRequest(5 * second),
    about: 'Stores the decisions of this process.',
  },
  'guard-ranges': {
    everyMilliseconds: second,
    ...untilRequest(5 * second),
    about: 'Exchanges the sums of ranges with the other processes.',
  },
  'guard-budgets': {
    everyMilliseconds: 15 * second,
    ...untilRequest(minute),
    about: 'Gives unused units of the budgets of the day back, and reads how much is used, for the metrics.',
  },
  'guard-sweep': {
    everyMilliseconds: 10 * second,
    idleMilliseconds: 5 * minute,
    runsOnce: true,
    about: 'Deletes counters whose windows have passed.',
  },
  // Messages
  'trail-flush': {
    everyMilliseconds: 250,
    ...untilRequest(2 * second),
    about: 'Stores the steps of messages that this process noted.',
  },
  'gateway-order': {
    everyMilliseconds: minute,
    about: 'Reads how well each gateway delivered, and orders the gateways by it.',
  },
  'second-route': {
    everyMilliseconds: second,
    ...untilRequest(5 * second),
    runsOnce: true,
    about:
      'Sends codes once more if no receipt came in time: over another gateway with LEDGERLINE_RESEND_AFTER_SECONDS, over the next channel with LEDGERLINE_CHANNEL_SECONDS.',
  },
  'gateway-events': {
    everyMilliseconds: 250,
    ...untilRequest(2 * second),
    about: 'Writes the events of gateways that went down or came back.',
  },
  // Transactions
  'standby-check': { everyMilliseconds: 2 * second, about: 'Checks that the standby is a copy of the primary.' },
  // Events
  'event-sequencer': {
    everyMilliseconds: 100,
    ...untilRequest(minute),
    about: 'Gives new events of this process their position in the log.',
  },
  // The contract allows ten seconds for an event. On Citus this is a statement to every shard.
  'stray-events': {
    everyMilliseconds: 8 * second,
    runsOnce: true,
    about: 'Gives events their position that another process wrote and did not sequence: a command, or one that ended.',
  },
  // The contract allows two seconds for a change that another node made.
  'live-transactions': {
    everyMilliseconds: 250,
    ...untilRequest(second),
    about: 'Reads what open streams of transactions have to be sent.',
  },
  'live-messages': {
    everyMilliseconds: 250,
    ...untilRequest(second),
    about: 'Reads what open streams of messages have to be sent.',
  },
  'event-streams': {
    everyMilliseconds: 500,
    idleMilliseconds: 5 * second,
    about: 'Keeps open streams alive, and ends those whose token has expired.',
  },
  'webhook-leases': {
    everyMilliseconds: 3 * second,
    // Shorter than a lease, so that the process stays known as one that can deliver.
    idleMilliseconds: 8 * second,
    about: 'Renews the leases on the endpoints that this process serves, and finds deliveries that became due.',
  },
  'webhook-dispatch': {
    everyMilliseconds: 100,
    idleMilliseconds: minute,
    about: 'Starts the deliveries that are due, until there are none.',
  },
  'webhook-queue': { everyMilliseconds: 5 * second, about: 'Counts the queue, for the metrics.' },
  'webhook-maintenance': {
    everyMilliseconds: 10 * second,
    ...untilRequest(5 * minute),
    runsOnce: true,
    about:
      'Ends the deliveries of disabled and removed endpoints, removes expired secrets, seals secrets with the current key.',
  },
  // Privacy
  retention: { everyMilliseconds: 10 * minute, runsOnce: true, about: 'Deletes expired data.' },
  'retention-lag': {
    everyMilliseconds: 5 * minute,
    about: 'Reads for how long the oldest expired data should have been deleted, for the metrics.',
  },
  'complete-erasures': {
    everyMilliseconds: 30 * second,
    runsOnce: true,
    about: 'Completes erasures that were interrupted between two nodes of Citus.',
  },
  // Sandbox
  'sandbox-clock': {
    everyMilliseconds: second,
    ...untilRequest(10 * second),
    about: 'Follows a clock that another process moved.',
  },
} satisfies Record<string, JobSchedule & { about: string }>;

export type JobName = keyof typeof jobTable;

/** docs/jobs.md. */
export function jobsReference(): string {
  const rows = Object.entries<JobSchedule & { about: string }>(jobTable).map(
    ([name, { everyMilliseconds, idleMilliseconds, runsOnce, about }]) =>
      `| \`${name}\` | ${pauseText(everyMilliseconds)} | ${idleMilliseconds ? pauseText(idleMilliseconds) : '-'} | ${runsOnce ? 'one process' : 'each process'} | ${about} |`,
  );
  return `# Periodic jobs

Made from \`src/app/job-table.ts\` by \`npm run generate\`. The pause is the time between the end of one run and the start of
the next, and up to a tenth longer. While a job finds nothing to do, its pause doubles, up to the one in the column
*idle*. A request to this process that may have given it something to do ends the longer pause. A job that runs in one process at a time holds a lease in the table \`job_leases\`; if its
process ends, another one takes over within three runs, or 10 seconds if that is longer.

\`ledgerline_job_runs_total\` counts the runs, and the log line \`job-failed\` has the name of the job and the cause. See
[runbook.md](runbook.md#ledgerlinejobfails).

| job | pause | idle | runs in | what it does |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function pauseText(milliseconds: number): string {
  if (milliseconds < second) return `${milliseconds} ms`;
  return milliseconds < minute ? `${milliseconds / second} s` : `${milliseconds / minute} min`;
}
