/** All periodic work of the service. A domain starts its jobs by name, with the function that each of them runs. */
import type { JobSchedule } from './jobs.ts';

const second = 1000;
const minute = 60 * second;

export const jobTable = {
  // Access
  'issuer-keys': { everyMilliseconds: 2 * second, about: 'Reads the keys of the token issuer until it has them.' },
  // Phone and guard
  'phone-spellings': { everyMilliseconds: 60 * minute, about: 'Merges links of one phone under two spellings.' },
  'missed-blocks': {
    everyMilliseconds: 30 * second,
    runsOnce: true,
    about: 'Writes the event of a block whose process ended before it could.',
  },
  'guard-state': {
    everyMilliseconds: 2 * second,
    about: 'Reads the modes and the safe list, which operators can change.',
  },
  'guard-decisions': { everyMilliseconds: second, about: 'Stores the decisions of this process.' },
  'guard-ranges': { everyMilliseconds: second, about: 'Exchanges the sums of ranges with the other processes.' },
  'guard-budgets': {
    everyMilliseconds: 15 * second,
    about: 'Gives unused units of the budgets of the day back, and reads how much is used, for the metrics.',
  },
  'guard-sweep': {
    everyMilliseconds: 10 * second,
    runsOnce: true,
    about: 'Deletes counters whose windows have passed.',
  },
  // Messages
  'trail-flush': { everyMilliseconds: 250, about: 'Stores the steps of messages that this process noted.' },
  'gateway-order': {
    everyMilliseconds: minute,
    about: 'Reads how well each gateway delivered, and orders the gateways by it.',
  },
  'gateway-events': { everyMilliseconds: 250, about: 'Writes the events of gateways that went down or came back.' },
  // Transactions
  'standby-check': { everyMilliseconds: 2 * second, about: 'Checks that the standby is a copy of the primary.' },
  // Events
  'event-sequencer': { everyMilliseconds: 100, about: 'Gives new events their position in the log.' },
  'live-transactions': { everyMilliseconds: 500, about: 'Reads what open streams of transactions have to be sent.' },
  'live-messages': { everyMilliseconds: 500, about: 'Reads what open streams of messages have to be sent.' },
  'event-streams': { everyMilliseconds: 500, about: 'Reads what open streams of events have to be sent.' },
  'webhook-leases': {
    everyMilliseconds: 3 * second,
    about: 'Renews the leases on the endpoints that this process serves.',
  },
  'webhook-dispatch': { everyMilliseconds: 100, about: 'Starts the deliveries that are due.' },
  'webhook-queue': { everyMilliseconds: 5 * second, about: 'Counts the queue, for the metrics.' },
  'webhook-maintenance': {
    everyMilliseconds: 10 * second,
    runsOnce: true,
    about:
      'Ends the deliveries of disabled and removed endpoints, removes expired secrets, seals secrets with the current key.',
  },
  // Privacy
  retention: { everyMilliseconds: 10 * minute, runsOnce: true, about: 'Deletes expired data.' },
  'complete-erasures': {
    everyMilliseconds: 30 * second,
    runsOnce: true,
    about: 'Completes erasures that were interrupted between two nodes of Citus.',
  },
  // Sandbox
  'sandbox-clock': { everyMilliseconds: second, about: 'Follows a clock that another process moved.' },
} satisfies Record<string, JobSchedule & { about: string }>;

export type JobName = keyof typeof jobTable;

/** docs/jobs.md. */
export function jobsReference(): string {
  const rows = Object.entries<JobSchedule & { about: string }>(jobTable).map(
    ([name, { everyMilliseconds, runsOnce, about }]) =>
      `| \`${name}\` | ${pauseText(everyMilliseconds)} | ${runsOnce ? 'one process' : 'each process'} | ${about} |`,
  );
  return `# Periodic jobs

Made from \`src/app/job-table.ts\` by \`npm run generate\`. The pause is the time between the end of one run and the start of
the next, and up to a tenth longer. A job that runs in one process at a time holds a lease in the table \`job_leases\`; if its
process ends, another one takes over within three runs, or 10 seconds if that is longer.

\`ledgerline_job_runs_total\` counts the runs, and the log line \`job-failed\` has the name of the job and the cause. See
[runbook.md](runbook.md#ledgerlinejobfails).

| job | pause | runs in | what it does |
|---|---|---|---|
${rows.join('\n')}
`;
}

function pauseText(milliseconds: number): string {
  if (milliseconds < second) return `${milliseconds} ms`;
  return milliseconds < minute ? `${milliseconds / second} s` : `${milliseconds / minute} min`;
}
