/** An erasure beside calls about the same user: nothing is left behind, and nobody gets a 5xx. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tablesWith } from '../harness/personal-data.ts';
import { newPhone, row, startService, type Service } from '../harness/service.ts';

const rounds = 20;

let service: Service;
const erased: { id: number; phone: string; email: string; nickname: string }[] = [];

beforeAll(async () => {
  service = await startService({
    LEDGERLINE_RULES: 'phone-sends=enforce,phone-users=enforce,phone-failures=enforce',
    LEDGERLINE_LOG_LEVEL: 'debug',
  });
});
afterAll(() => service.stop());

const erase = (id: number) => service.call(`/User/${id}`, undefined, { method: 'DELETE' });
const resend = (id: number) => service.call(`/User/${id}/phone-number/resend-code`);
const status = (id: number) => service.call(`/User/${id}/status`, undefined, { method: 'GET' });

/** Of all who were erased. */
const personalTexts = () => erased.flatMap(({ phone, email, nickname }) => [phone, phone.slice(1), email, nickname]);

describe('twenty erasures, each in the middle of other calls', () => {
  it('answer no caller with a 5xx, and the user is erased', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = { phone: newPhone(), email: `person-${round}@gone.example`, nickname: `Zaphod-${round}` };
      const { phone, email, nickname } = person;
      const { id } = (await service.call('/User', { email, additionalData: { nickname } })).json;
      erased.push({ id, ...person });
      // Half of them in the middle of a verification, the others before the first code.
      const isSent = round % 2 === 0;
      if (isSent) await service.sendCode(id, phone);
      const code = isSent ? await service.lastCode(phone) : '000000';
      const answers = await Promise.all([
        service.sendCode(id, phone),
        service.verify(id, code),
        service.record([row(id)]),
        erase(id),
        resend(id),
        service.list({ individualId: id }),
        service.call('/app/export-transactions', { individualId: id }),
        service.record([row(id)]),
        service.call('/User', { id, email, additionalData: { nickname } }),
        service.verify(id, code),
        erase(id),
        service.sendCode(id, phone),
      ]);
      expect(answers.map((answer) => answer.status).filter((code) => code >= 500)).toEqual([]);
      expect((await status(id)).status).toBe(404);
      expect((await service.sendCode(id, phone)).status).toBe(404);
    }
  });

  it('leave number, e-mail and additionalData in no table, also when everything in flight is written', async () => {
    expect(await tablesWith(service, ...personalTexts())).toEqual([]);
    // A trail that is written later than the last erasure shows that what was noted before has been written.
    const id = await service.createUser();
    await service.sendCode(id, newPhone());
    await service.verify(id, '000000');
    await expect
      .poll(async () => (await service.sql`select from verification_events where user_id = ${id}`).length)
      .toBe(1);
    expect(await tablesWith(service, ...personalTexts())).toEqual([]);
    const ids = erased.map((person) => person.id);
    // Not in `verifications`: failed attempts on an id count also when nobody has it.
    for (const table of ['messages', 'verification_events', 'send_keys', 'guard_decisions']) {
      const left = await service.sql`select from ${service.sql(table)} where user_id in ${service.sql(ids)}`;
      expect([table, left.length]).toEqual([table, 0]);
    }
  });

  it('leave them in no log line, event, metric, or answer that comes from memory', async () => {
    const get = (path: string) => service.call(path, undefined, { method: 'GET' });
    const answers = await Promise.all([
      get('/events?limit=1000'),
      get('/metrics'),
      get('/sandbox/messages'),
      get('/operator/guard/decisions'),
      get('/operator/guard/blocks'),
      ...erased.map(({ id }) => get(`/User/${id}/data`)),
      ...erased.map(({ id }) => service.call('/app/export-transactions', { individualId: id })),
    ]);
    const everything = [...service.logLines, ...answers.map(({ text }) => text)].join('\n');
    expect(personalTexts().filter((text) => everything.includes(text))).toEqual([]);
    expect(everything).toContain('"user.erased"');
  });
});
