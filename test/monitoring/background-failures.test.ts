/** What is written after the answer and cannot be written: it is logged, counted, kept, and written later. */
import { describe, expect, it } from 'vitest';
import { changeCalls } from '../harness/change-phone.ts';
import { newPhone, serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

async function metric(service: Service, line: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const found = text.split('\n').find((each) => each.startsWith(line));
  return Number(found?.split(' ').at(-1) ?? 0);
}

const logs = (service: Service, ...parts: string[]) =>
  service.logLines.some((line) => parts.every((part) => line.includes(part)));

/** Sends until the limit of the user refuses, which is a decision of the guard and an event of the trail. */
async function causeRefusal(service: Service): Promise<number> {
  const id = await service.createUser();
  expect((await service.sendCode(id, newPhone())).status).toBe(204);
  expect((await service.sendCode(id, newPhone())).status).toBe(429);
  return id;
}

describe('decisions of the guard', () => {
  it('that cannot be written are reported as a failed job, and written when the database takes them', async () => {
    const service = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    await service.sql`alter table guard_totals rename to guard_totals_away`;
    const id = await causeRefusal(service);
    await until(() => logs(service, '"job-failed"', '"job":"guard-decisions"', '"reason":"42P01"'));
    expect(
      await metric(service, 'ledgerline_job_runs_total{job_name="guard-decisions",outcome="failed"}'),
    ).toBeGreaterThan(0);
    await service.sql`alter table guard_totals_away rename to guard_totals`;
    await until(async () => {
      const rows = await service.sql`select rule from guard_decisions where user_id = ${id}`;
      return rows.length === 1;
    });
    const [total] = await service.sql`select sum(decisions)::int as decisions from guard_totals`;
    expect(total!.decisions).toBe(1);
  });

  it('do not keep the service from stopping', async () => {
    const service = await startService({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    await service.sql`alter table guard_totals rename to guard_totals_away`;
    await causeRefusal(service);
    await service.stop();
    expect(logs(service, '"job-failed"', '"job":"guard-decisions"')).toBe(true);
  });
});

describe('events of the trail', () => {
  it('that cannot be written are reported, and written when the database takes them', async () => {
    const service = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    await service.sql`alter table verification_events rename to verification_events_away`;
    const id = await causeRefusal(service);
    await until(() => logs(service, '"trail-unwritten"', '"events":1', '"reason":"42P01"'));
    expect(await metric(service, 'ledgerline_trail_failures_total{outcome="delayed"}')).toBeGreaterThan(0);
    await service.sql`alter table verification_events_away rename to verification_events`;
    await until(async () => {
      const rows = await service.sql`select times from verification_events where user_id = ${id}`;
      return rows.length === 1 && rows[0]!.times === 1;
    });
  });

  it('are not written about a user who was erased meanwhile', async () => {
    const service = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    await service.sql`alter table verification_events add constraint no_inserts check (false) not valid`;
    const id = await causeRefusal(service);
    await until(() => logs(service, '"trail-unwritten"'));
    expect((await service.call(`/User/${id}`, undefined, { method: 'DELETE' })).status).toBe(204);
    const witness = await causeRefusal(service);
    await service.sql`alter table verification_events drop constraint no_inserts`;
    // All that is pending is written at once.
    await until(
      async () => (await service.sql`select from verification_events where user_id = ${witness}`).length === 1,
    );
    const rows = await service.sql`select kind from verification_events where user_id = ${id}`;
    expect(rows).toHaveLength(0);
  });
});

describe('a notice about a change of number', () => {
  it('that fails because the database is out of resources is a failed job, and no defect', async () => {
    const service = await serviceForTest();
    const { change, verify } = changeCalls(() => service);
    const next = newPhone();
    const id = await service.verifiedUser();
    await change(id, next);
    await service.sql`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no memory' using errcode = '53200'; end $$`;
    await service.sql`
      create trigger refuse before update of last_message_number on verifications execute function refuse()`;
    expect((await verify(id, await service.lastCode(next))).status).toBe(200);
    await until(() => logs(service, '"job-failed"', '"job":"change-notice"', '"reason":"database-unavailable"'));
    expect(await metric(service, 'ledgerline_defects_total')).toBe(0);
  });
});
