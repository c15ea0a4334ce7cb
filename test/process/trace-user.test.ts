import { expect, it, onTestFinished } from 'vitest';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { runHere } from '../harness/command.ts';
import { sendTwilioReceipt, twoGatewaySettings, vonageAccepts } from '../harness/servers/twilio.ts';
import { newPhone, serviceForTest, startService, wrongCode } from '../harness/service.ts';
import { until } from '../harness/until.ts';

it('trace-user tells what became of a user’s codes, with the number masked', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const id = await service.createUser();
  const phone = newPhone();
  await service.sendCode(id, phone);
  const code = await service.lastCode(phone);
  await service.verify(id, wrongCode(code));
  await service.verify(id, code);
  // Events are written after the answer; the endpoint waits for them.
  const trail = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });

  const settings = { DATABASE_URL: service.databaseUrl };
  const printed = await runHere(['trace-user', String(id)], settings);
  expect(printed.stderr).toBe('');
  const lines = printed.stdout.trim().split('\n');
  expect(lines.map((line) => line.replace(/^\S+Z {2}/, '')).sort()).toEqual(
    [
      `code 1 requested for +44…${phone.slice(-2)} (${trail.json.messages[0].country})`,
      'code 1 accepted by inbox',
      'verify-refused: wrong-code',
      'code 1 verified',
      'verified',
    ].sort(),
  );
  const times = lines.map((line) => line.slice(0, 24));
  expect([...times].sort()).toEqual(times);
  expect(printed.stdout).not.toContain(phone.slice(4));

  const json = await runHere(['trace-user', String(id), '--json'], settings);
  expect(JSON.parse(json.stdout)).toEqual(trail.json);
  expect(await runHere(['trace-user', '2147483647'], settings)).toMatchObject({
    code: 1,
    stderr: 'There is no user 2147483647.\n',
  });
  expect((await runHere(['trace-user', 'x'], settings)).code).toBe(1);
  const fresh = await service.createUser();
  expect((await runHere(['trace-user', String(fresh)], settings)).stdout).toBe(
    'Nothing has been recorded of this user.\n',
  );
});

it('trace-user goes by the clock of a sandbox that was moved', async () => {
  const service = await serviceForTest();
  const id = await service.createUser();
  await service.sendCode(id, newPhone());
  await service.advance(601);
  await until(async () => {
    const { stdout } = await runHere(['trace-user', String(id)], { DATABASE_URL: service.databaseUrl });
    return stdout.includes('code 1 expired');
  });
});

it('trace-user and the message log tell a text that no gateway could take from one whose destination was refused', async () => {
  const gateway = await gatewayServer(() => ({ status: 500, body: {} }));
  const service = await startService({
    LEDGERLINE_GATEWAYS: 'webhook',
    LEDGERLINE_WEBHOOK_URL: gateway.url,
    LEDGERLINE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    LEDGERLINE_BREAKER: '1/5s/2m',
  });
  onTestFinished(() => service.stop());
  const id = await service.createUser();
  const statuses = [await service.sendCode(id, newPhone()), await service.sendCode(id, newPhone())];
  expect(statuses.map(({ status }) => status)).toEqual([503, 503]);
  const traced = async () => {
    const { stdout } = await runHere(['trace-user', String(id)], { DATABASE_URL: service.databaseUrl });
    return stdout.split('\n').map((line) => line.replace(/^\S+Z {2}/, ''));
  };
  // While the breaker is open, no gateway is asked.
  expect(await traced()).toEqual(
    expect.arrayContaining([
      'code 1 unavailable by webhook: HTTP 500',
      'code 1 not sent: HTTP 500',
      'code 2 not sent: no gateway is available',
    ]),
  );
  const states = async (query: string) => {
    const { json } = await service.call(`/operator/messages?${query}`, undefined, { method: 'GET' });
    return json.messages.map(({ codeNumber, state, outcome }: Record<string, unknown>) => [codeNumber, state, outcome]);
  };
  expect(await states('state=unavailable')).toEqual([
    [2, 'unavailable', 'unavailable'],
    [1, 'unavailable', 'unavailable'],
  ]);
  expect(await states('state=refused')).toEqual([]);
});

it('trace-user names the gateway that delivered a text although it had not answered', async () => {
  const twilio = await gatewayServer('hang');
  const vonage = await gatewayServer(vonageAccepts);
  const service = await serviceForTest({
    ...(await twoGatewaySettings(twilio.url, vonage.url)),
    LEDGERLINE_GATEWAY_SECONDS: '1',
    LEDGERLINE_SEND_SECONDS: '3',
  });
  const id = await service.createUser();
  await service.sendCode(id, newPhone());
  await sendTwilioReceipt(twilio.received[0]!.form.StatusCallback!, 'delivered');
  const { stdout } = await runHere(['trace-user', String(id)], { DATABASE_URL: service.databaseUrl });
  expect(stdout.trim().split('\n').slice(1)).toEqual([
    expect.stringContaining('code 1 unknown by twilio: no answer in time, may have gone out'),
    expect.stringContaining('code 1 accepted by vonage'),
    expect.stringContaining('code 1 delivered by twilio'),
  ]);
});
