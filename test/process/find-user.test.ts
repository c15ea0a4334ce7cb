import { expect, it, onTestFinished } from 'vitest';
import { describeHolder } from '../../src/cli/find-user.ts';
import { runHere } from '../harness/command.ts';
import { newPhone, startService } from '../harness/service.ts';

it('find-user says who has a number and how fresh that is, frees it with a reason, and is audited', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const phone = newPhone();
  const holder = await service.verifiedUser(phone);
  const other = await service.createUser();
  await service.sql`update verifications set verified_at = verified_at - interval '40 days' where user_id = ${holder}`;
  await service.sql`update messages set verified_at = verified_at - interval '3 days' where user_id = ${holder}`;
  await service.sql`insert into verifications (user_id, sent_phone) values (${other}, ${phone})`;
  const settings = { DATABASE_URL: service.databaseUrl };
  const find = (...more: string[]) => runHere(['find-user', '--phone', phone, ...more], settings);

  const found = await find();
  expect([found.code, found.stderr]).toEqual([0, '']);
  expect(found.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(
      new RegExp(`^User ${holder} has it: verified \\S+Z \\(40 days ago\\), last used \\S+Z \\(3 days ago\\)\\.$`),
    ),
    `These users had their last code sent to it: ${other}.`,
  ]);
  expect(await find('--free')).toMatchObject({ code: 1, stderr: expect.stringContaining('--reason') });
  expect(await find('--free', '--reason', 'changed hands')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`The number is free; user ${holder} is unverified again.`),
  });
  expect(await find('--free', '--reason', 'again')).toMatchObject({ code: 1, stderr: 'There is nothing to free.\n' });
  expect((await runHere(['find-user', '--phone', '07911'], settings)).code).toBe(1);

  const acts = await service.sql`
    select action, target, user_id, reason from operator_actions where client = 'cli' order by id`;
  const masked = `+44…${phone.slice(-2)}`;
  const search = { action: 'find-users', target: masked, user_id: null, reason: null };
  const freed = { action: 'free-phone', target: `user ${holder}`, user_id: holder, reason: 'changed hands' };
  expect([...acts]).toEqual([search, search, freed, search]);
});

it('find-user tells no age of a number that is linked without the time of its verification', () => {
  expect(describeHolder({ userId: 7, verifiedAt: null, lastUsedAt: null }, new Date())).toBe(
    'It is linked to user 7, but it is not known when it was verified.',
  );
});
