/** Which process runs a job that must run in one process only, whatever the number of nodes. */
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

export interface JobLeases {
  /** Takes the lease or prolongs it. False while another process has it. */
  take(job: string, milliseconds: number): Promise<boolean>;
  /** Lets another process go on at once. */
  releaseAll(): Promise<void>;
}

export function createJobLeases(db: Database): JobLeases {
  const holder = randomUUID();
  return {
    async take(job, milliseconds) {
      // The database's time: nodes may differ in theirs, and the sandbox moves its own.
      const rows = await db.write`
        insert into job_leases (job, holder, held_until)
        values (${job}, ${holder}, clock_timestamp() + ${milliseconds} * interval '1 millisecond')
        on conflict (job) do update set holder = excluded.holder, held_until = excluded.held_until
        where job_leases.holder = excluded.holder or job_leases.held_until < clock_timestamp()
        returning job`;
      return rows.length === 1;
    },

    async releaseAll() {
      await db.write`delete from job_leases where holder = ${holder}`;
    },
  };
}
