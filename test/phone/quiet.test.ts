/** A service that sends nothing, as it is started on a restored copy. */
import { expect, inject, it, onTestFinished } from 'vitest';
import { run } from '../harness/process.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { cloneDatabase, newPhone, startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { advance, deliveries, read, subscribe } from '../harness/webhook-deliveries.ts';

it('a quiet service sends no text and no webhook, and what is due stays due with all its tries', async () => {
  const database = await cloneDatabase(inject('sandboxTemplateName'));
  onTestFinished(() => database.drop());
  const receiver = await startReceiver(500);
  const first = await startService({ DATABASE_URL: database.url });
  const endpoint = await subscribe(first, receiver.url);
  const id = await first.createUser();
  await until(async () => (await deliveries(first, endpoint))[0]?.attempts === 1);
  await first.stop();

  const quiet = await startService({ DATABASE_URL: database.url, LEDGERLINE_QUIET: 'true' });
  const phoneNumber = newPhone();
  const sent = await quiet.sendCode(id, phoneNumber);
  expect([sent.status, sent.headers.get('error-reason')]).toEqual([503, 'send-failed']);
  expect(sent.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await quiet.messages(phoneNumber)).toEqual([]);
  await quiet.createUser();
  const tested = await quiet.call(`/webhook-endpoints/${endpoint.id}/test`);
  expect(tested.json).toMatchObject({ delivered: false, error: 'The service is quiet (LEDGERLINE_QUIET).' });
  await advance(quiet, 86_400);
  // Two rounds of the sequencer: both events are queued.
  await until(async () => (await deliveries(quiet, endpoint)).length === 2);
  expect((await read(quiet, '/operator/overview')).isQuiet).toBe(true);
  expect(quiet.logLines.some((line) => line.includes('"setting":"LEDGERLINE_QUIET"'))).toBe(true);
  const states = (await deliveries(quiet, endpoint)).map(({ state, attempts }) => [state, attempts]);
  expect(states).toEqual([
    ['due', 0],
    ['due', 1],
  ]);
  expect(receiver.hooks).toHaveLength(1);
  await quiet.stop();

  const { stdout } = await run(['doctor'], { DATABASE_URL: database.url, LEDGERLINE_QUIET: 'true' });
  expect(stdout).toContain('The service is quiet');

  receiver.behave(200);
  const last = await startService({ DATABASE_URL: database.url });
  onTestFinished(() => last.stop());
  await until(async () => (await deliveries(last, endpoint, '?state=delivered')).length === 2);
});
