/** Decides which process runs a job that must run in one process only, whatever the number of nodes. */
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

export interface JobLeases {
  /** Takes or extends the lease. False while another process has it. */
  take(job: string, milliseconds: number): Promise<boolean>;
  /** Allows other processes to take over immediately. */
  releaseAll(): Promise<void>;
}

export function createJobLeases(db: Database): JobLeases {
  const holder = randomUUID();
  return {
    async take(job, milliseconds) {
      // The time of the database: the clocks of nodes may differ, and the sandbox can move its clock.
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
