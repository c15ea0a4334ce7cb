/** A service that sends texts only executes nothing that other channels need. */
import { expect, inject, it, onTestFinished } from 'vitest';
import { payment, terms } from '../harness/confirmations.ts';
import { statementLog } from '../harness/servers/statement-log.ts';
import { cloneDatabase, newPhone, startService } from '../harness/service.ts';

/** What a statement is about; other statements belong to jobs. */
const names = [
  ...['reserve_send', 'finish_send', 'insert into messages', 'reserve_attempt', 'consume_code'],
  ...['reserve_confirmation', 'check_confirmation', 'from confirmations c', 'claim_automatic_text', 'next_channel'],
  ...['lease_budgets', 'latest_code', 'verified_phone'],
];
const nameOf = (text: string) => names.find((name) => text.includes(name));

async function statementsOf(settings: Record<string, string>) {
  const database = await cloneDatabase(inject('sandboxTemplateName'));
  onTestFinished(database.drop);
  const { url, statements } = await statementLog(database.url);
  const service = await startService({ ...settings, DATABASE_URL: url });
  onTestFinished(() => service.stop());
  const during = async (work: () => Promise<{ status: number }>) => {
    const before = statements.length;
    expect((await work()).status).toBeLessThan(300);
    return statements.slice(before).flatMap((text) => nameOf(text) ?? []);
  };
  const id = await service.createUser();
  const phone = newPhone();
  // The caches of a process fill with the first calls.
  await service.sendCode(id, phone);
  const operations: Record<string, string[]> = {
    send: await during(() => service.sendCode(id, phone)),
    resend: await during(() => service.call(`/User/${id}/phone-number/resend-code`)),
    verify: await during(async () => service.verify(id, await service.lastCode(phone))),
  };
  let confirmationId = '';
  operations.create = await during(async () => {
    const created = await service.call(`/User/${id}/confirmations`, payment);
    ({ confirmationId } = created.json);
    return created;
  });
  operations.check = await during(async () =>
    service.call(`/User/${id}/confirmations/${confirmationId}/check`, {
      ...terms,
      code: await service.lastCode(phone),
    }),
  );
  return operations;
}

it('every operation runs the same statements, whatever is set for channels that are not used', async () => {
  const plain = await statementsOf({});
  expect(plain).toEqual({
    send: ['reserve_send', 'insert into messages'],
    resend: ['latest_code', 'reserve_send', 'insert into messages'],
    verify: ['reserve_attempt', 'consume_code'],
    create: ['verified_phone', 'reserve_confirmation', 'insert into messages'],
    check: ['check_confirmation'],
  });
  expect(await statementsOf({ LEDGERLINE_CHANNEL_SECONDS: '5', LEDGERLINE_CHANNELS: '*=sms' })).toEqual(plain);
});
