/** Changes of number beside whatever else is asked about the user or the number. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeCalls } from '../harness/change-phone.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { change, verify, giveUp, phoneOf, linksOf } = changeCalls(() => service);

describe('races', () => {
  const exactlyOneNumber = async (id: number, of: readonly string[]) => {
    const phone = await phoneOf(id);
    expect(of).toContain(phone);
    expect(await linksOf(id)).toEqual([phone]);
    return phone;
  };

  it('two users for one number: one has it, the other keeps the old one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [first, second, wanted] = [newPhone(), newPhone(), newPhone()];
      const [a, b] = [await service.verifiedUser(first), await service.verifiedUser(second)];
      await change(a, wanted);
      const codeA = await service.lastCode(wanted);
      await change(b, wanted);
      const codeB = await service.lastCode(wanted);
      const answers = await Promise.all([verify(a, codeA), verify(b, codeB)]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      const [ofA, ofB] = [await exactlyOneNumber(a, [first, wanted]), await exactlyOneNumber(b, [second, wanted])];
      expect([ofA, ofB].filter((phone) => phone === wanted)).toHaveLength(1);
    }
  });

  it('one code, many calls: exactly one success', async () => {
    const [old, next] = [newPhone(), newPhone()];
    const id = await service.verifiedUser(old);
    await change(id, next);
    const code = await service.lastCode(next);
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await exactlyOneNumber(id, [next]);
    expect(await service.sql`select from phone_changes where user_id = ${id}`).toHaveLength(1);
  });

  it('with a second change: the last number that was verified is the only one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [old, first, second] = [newPhone(), newPhone(), newPhone()];
      const id = await service.verifiedUser(old);
      await change(id, first);
      const code = await service.lastCode(first);
      await Promise.all([verify(id, code), change(id, second), giveUp(id), change(id, second)]);
      await exactlyOneNumber(id, [old, first]);
    }
  });

  it('with an unlink: the user has no number, or only the new one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [old, next] = [newPhone(), newPhone()];
      const id = await service.verifiedUser(old);
      await change(id, next);
      const code = await service.lastCode(next);
      await Promise.all([verify(id, code), service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' })]);
      expect(await phoneOf(id)).toBeNull();
      expect(await linksOf(id)).toEqual([]);
    }
  });

  it('with an erasure: nothing of the user is left', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [old, next] = [newPhone(), newPhone()];
      const id = await service.verifiedUser(old);
      await change(id, next);
      const code = await service.lastCode(next);
      await Promise.all([
        verify(id, code),
        service.call(`/User/${id}`, undefined, { method: 'DELETE' }),
        change(id, newPhone()),
      ]);
      expect(await linksOf(id)).toEqual([]);
      for (const table of ['phone_changes', 'messages']) {
        expect(await service.sql.unsafe(`select from ledgerline.${table} where user_id = ${id}`), table).toHaveLength(
          0,
        );
      }
      // An attempt after the erasure counts as one on an unknown id.
      const left = await service.sql`
        select from verifications where user_id = ${id}
          and (verified_phone is not null or sent_phone is not null or (change_code).number is not null or sends <> '{}')`;
      expect(left).toHaveLength(0);
      expect(await service.verifiedUser(next)).not.toBe(id);
    }
  });

  it('with a verification of the same number by another user: one of the two has it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [old, wanted] = [newPhone(), newPhone()];
      const id = await service.verifiedUser(old);
      const newcomer = await service.createUser();
      await change(id, wanted);
      const code = await service.lastCode(wanted);
      await service.sendCode(newcomer, wanted);
      const theirs = await service.lastCode(wanted);
      const [changed, verified] = await Promise.all([verify(id, code), service.verify(newcomer, theirs)]);
      expect(changed.status + verified.status).toBe(600);
      await exactlyOneNumber(id, changed.status === 200 ? [wanted] : [old]);
      expect(await phoneOf(newcomer)).toBe(changed.status === 200 ? null : wanted);
    }
  });
});
