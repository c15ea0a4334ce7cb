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
      // The time of the database: the clocks of nodes may differ, and the sandbox can move its clock. A lease that ends
      // later than it can was taken before that clock was set back: it is shortened, for its holder may have ended.
      const [row] = await db.write`
        insert into job_leases as l (job, holder, held_until)
        values (${job}, ${holder}, clock_timestamp() + ${milliseconds} * interval '1 millisecond')
        on conflict (job) do update set
          holder = case when l.held_until < clock_timestamp() then excluded.holder else l.holder end,
          held_until = excluded.held_until
        where l.holder = excluded.holder or l.held_until < clock_timestamp()
          or l.held_until > clock_timestamp() + ${milliseconds} * interval '2 milliseconds'
        returning holder = ${holder} as is_taken`;
      return row?.is_taken === true;
    },

    async releaseAll() {
      await db.write`delete from job_leases where holder = ${holder}`;
    },
  };
}
