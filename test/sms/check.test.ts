/** Doctor's question to a gateway: it needs our credentials and sends no text. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayDefinition } from '../../src/sms/define-gateway.ts';
import { gatewayDefinitions } from '../../src/sms/gateways/index.ts';
import { adapters } from '../harness/adapters.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { run } from '../harness/process.ts';
import { serviceForTest } from '../harness/service.ts';
import { startSmsc } from '../harness/servers/smsc.ts';
import { until } from '../harness/until.ts';

const paths: Record<string, RegExp> = {
  twilio: /^\/2010-04-01\/Accounts\/\w+\.json$/,
  vonage: /^\/account\/get-balance\?api_key=/,
  infobip: /^\/account\/1\/balance$/,
  messagebird: /^\/balance$/,
  'twilio-voice': /^\/2010-04-01\/Accounts\/\w+\.json$/,
  'vonage-voice': /^\/v1\/calls\?page_size=1$/,
  whatsapp: /^\/v23\.0\/4711\?fields=id$/,
};

/** They have no call that needs credentials and sends nothing. */
const unchecked = ['aws', 'webhook'];

it('every gateway that sends texts is checked here, or is named as one that cannot be', () => {
  const sending = gatewayDefinitions.filter((definition: GatewayDefinition) => !definition.sendsNothing);
  // The check of SMPP is a bind: see the last test.
  expect([...Object.keys(paths), ...unchecked, 'smpp'].toSorted()).toEqual(sending.map(({ name }) => name).toSorted());
  for (const name of unchecked) expect(adapters[name]!.make('http://127.0.0.1:9').check).toBeUndefined();
});

describe.each(Object.entries(paths))('%s', (name, path) => {
  it('is usable when it answers, and says so when it refuses our credentials or is away', async () => {
    const server = await gatewayServer(() => ({ status: 200, body: {} }));
    const gateway = adapters[name]!.make(server.url);
    onTestFinished(() => void gateway.close?.());
    expect(await gateway.check!(2000)).toEqual({ isUsable: true });
    expect(server.received.map(({ method }) => method)).toEqual(['GET']);
    expect(server.received[0]!.path).toMatch(path);
    server.behave(() => ({ status: 401, body: {} }));
    expect(await gateway.check!(2000)).toEqual({
      isUsable: false,
      reason: 'it refuses our credentials (HTTP 401)',
    });
    await server.stop();
    expect(await gateway.check!(2000)).toEqual({
      isUsable: false,
      reason: expect.stringMatching(/^it cannot be reached/),
    });
  });
});

it('a wrong SMPP password is found by doctor, and logged by a service before the first text', async () => {
  const smsc = await startSmsc();
  // SMPP 3.4 section 5.1.3: ESME_RINVPASWD.
  smsc.bindStatus = 0x0e;
  const settings = {
    LEDGERLINE_GATEWAYS: 'smpp',
    LEDGERLINE_SMPP_URL: `smpp://user@127.0.0.1:${smsc.port}`,
    LEDGERLINE_SMPP_PASSWORD: 'wrong',
  };
  const service = await serviceForTest(settings);
  await until(() => service.logLines.some((line) => /"state":"down".*"msg":"gateway-link"/.test(line)));
  const { code, stdout } = await run(['doctor'], { ...settings, DATABASE_URL: service.databaseUrl });
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/✗ Gateway smpp: it does not bind \(.+\)\. Check its settings/),
  ]);
  smsc.bindStatus = 0;
  await until(() => service.logLines.some((line) => /"state":"up".*"msg":"gateway-link"/.test(line)));
});
