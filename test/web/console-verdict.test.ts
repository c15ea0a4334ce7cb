/** The sentence about a customer, from trails of the real service: it never contradicts GET /User/{id}/status. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UserTrail } from '../../client/index.ts';
import { ruleNames } from '../../src/guard/rules.ts';
import { t } from '../../web/console/texts.ts';
import { stepsOf, verdictOf } from '../../web/console/views/explain.ts';
import { changeCalls } from '../harness/change-phone.ts';
import { newPhone, startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ LEDGERLINE_RULES: 'number-type=enforce' });
});
afterAll(() => service.stop());

const { change, verify: verifyChange } = changeCalls(() => service);

async function trailOf(id: number): Promise<UserTrail> {
  return (await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' })).json;
}

/** The sentence, and whether the service itself takes the user as verified. */
async function verdict(id: number, isBlocked = false): Promise<[string, boolean]> {
  const { json } = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
  return [verdictOf(await trailOf(id), isBlocked).text, json.isPhoneNumberVerified];
}

async function verified(): Promise<{ id: number; phoneNumber: string; code: string }> {
  const phoneNumber = newPhone();
  const id = await service.createUser();
  await service.sendCode(id, phoneNumber);
  const code = await service.lastCode(phoneNumber);
  expect((await service.verify(id, code)).status).toBe(200);
  return { id, phoneNumber, code };
}

async function waiting(): Promise<{ id: number; code: string }> {
  const phoneNumber = newPhone();
  const id = await service.createUser();
  await service.sendCode(id, phoneNumber);
  return { id, code: await service.lastCode(phoneNumber) };
}

const unlink = (id: number) => service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });

it('a verified customer is called verified, whatever failed since', async () => {
  const repeated = await verified();
  await service.verify(repeated.id, repeated.code);
  expect(await verdict(repeated.id)).toEqual([
    'Verified. Since then a code did not verify: the code had been used already.',
    true,
  ]);
  const changing = await verified();
  await change(changing.id, newPhone());
  const open = 'Verified. The last code was sent for a change of number, which is not completed.';
  expect(await verdict(changing.id)).toEqual([open, true]);
  await verifyChange(changing.id, '000000');
  expect(await verdict(changing.id)).toEqual([open, true]);

  const taken = await verified();
  await change(taken.id, (await verified()).phoneNumber);
  expect(await verdict(taken.id)).toEqual([
    'Verified. Since then a code was refused: the number belongs to another user.',
    true,
  ]);
  const failing = await verified();
  for (let attempt = 0; attempt < 11; attempt += 1) await service.verify(failing.id, '000000');
  expect(await verdict(failing.id, true)).toEqual([
    'Verified. Since then a code did not verify: they were blocked after too many failures.',
    true,
  ]);
  const changed = await verified();
  const next = newPhone();
  await change(changed.id, next);
  await verifyChange(changed.id, await service.lastCode(next));
  expect(await verdict(changed.id)).toEqual(['Verified.', true]);
});

it('an unlinked customer waits for nothing', async () => {
  const { id } = await verified();
  await unlink(id);
  expect(await verdict(id)).toEqual(['Not verified: the number was unlinked.', false]);
});

it('says why there was no valid code', async () => {
  const none = await service.createUser();
  await service.verify(none, '000000');
  expect(await verdict(none)).toEqual(['Not verified: no code had been requested.', false]);
  const guessed = await waiting();
  for (let attempt = 0; attempt < 5; attempt += 1) await service.verify(guessed.id, wrongCode(guessed.code));
  expect(await verdict(guessed.id)).toEqual(['Not verified: the code was wrong.', false]);
  await service.verify(guessed.id, guessed.code);
  const usedUp = 'Not verified: the code was void after too many wrong attempts.';
  expect(await verdict(guessed.id)).toEqual([usedUp, false]);
  const late = await waiting();
  await service.advance(601);
  await service.verify(late.id, late.code);
  expect(await verdict(late.id)).toEqual(['Not verified: the code had expired.', false]);
});

it('names a rule in words', async () => {
  const id = await service.createUser();
  expect((await service.sendCode(id, '+449098790000')).status).toBe(400);
  expect(await verdict(id)).toEqual(['Not verified: no codes are sent to this kind of number.', false]);
  // A rule about failures gives the reason “blocked”.
  const named = ruleNames.filter((rule) => !rule.endsWith('-failures') && rule !== 'one-code');
  expect(named.filter((rule) => !(rule in t.steps.reasons))).toEqual([]);
});

it('the steps say which codes were for a change of number', async () => {
  const { id } = await verified();
  const next = newPhone();
  await change(id, next);
  await verifyChange(id, await service.lastCode(next));
  const steps = stepsOf(await trailOf(id)).map(({ text }) => text.replace(/, to .+/, ''));
  expect(steps).toEqual([
    'The number was changed',
    'Code 2 verified the new number',
    'inbox accepted code 2',
    'Code 2 was requested for a change of number',
    'Code 1 verified the number',
    'inbox accepted code 1',
    'Code 1 was requested',
  ]);
});
