/** TLS towards gateways: whose certificate is not trusted, or is another's, gets no message. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSmpp } from '../../src/sms/gateways/smpp.ts';
import { selfSigned } from '../harness/servers/certificate.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { dataFolder, startProcess } from '../harness/process.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';
import { startSmsc } from '../harness/servers/smsc.ts';

const twilioAccepts = () => ({ status: 201, body: { sid: 'SM1', status: 'queued' } });
const vonageAccepts = () => ({ status: 200, body: { messages: [{ status: '0', 'message-id': 'V1' }] } });

const accounts = {
  LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
  LEDGERLINE_TWILIO_TOKEN: 'token',
  LEDGERLINE_VONAGE_KEY: 'abcd1234',
  LEDGERLINE_VONAGE_SECRET: 'secret',
  LEDGERLINE_SMPP_PASSWORD: 'secret',
};

describe('a certificate that is not trusted', () => {
  it('makes a gateway unavailable, and it is sent nothing', async () => {
    const server = await gatewayServer(twilioAccepts, selfSigned);
    const service = await serviceForTest({
      ...accounts,
      LEDGERLINE_GATEWAYS: 'twilio',
      LEDGERLINE_GATEWAY_URLS: `twilio=${server.url}`,
    });
    const id = await service.createUser();
    expect((await service.sendCode(id, newPhone())).status).toBe(503);
    const { json } = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    const refused = { gateway: 'twilio', outcome: 'unavailable', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    // It surely was not sent, so it was tried twice, and neither try may have gone out.
    expect(json.messages[0]).toMatchObject({ state: 'unavailable', tries: [refused, refused] });
    expect(server.connections()).toBe(2);
    expect(server.received).toEqual([]);
  });

  it('stops SMPP before it sends its password', async () => {
    const smsc = await startSmsc(selfSigned);
    const service = await serviceForTest({
      ...accounts,
      LEDGERLINE_GATEWAYS: 'smpp',
      LEDGERLINE_SMPP_URL: `smpps://user@localhost:${smsc.port}`,
    });
    expect((await service.sendCode(await service.createUser(), newPhone())).status).toBe(503);
    expect(smsc.commands).toEqual([]);
  });
});

it('SMPP gives up a connection whose TLS handshake does not end, and opens another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reasons: unknown[] = [];
  const gateway = createSmpp(
    { smppUrl: `smpps://user@127.0.0.1:${port}`, smppPassword: 'secret' },
    { sender: () => 'Acme', onReceipt: () => {}, onLink: (_isUp, reason) => void reasons.push(reason) },
  );
  onTestFinished(async () => {
    await gateway.close?.();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const [first] = (await once(server, 'connection')) as [Socket];
  await once(first, 'data');
  const second = once(server, 'connection');
  vi.advanceTimersByTime(10_500);
  await second;
  expect(reasons).toEqual(['no connection in time']);
});

describe('with NODE_EXTRA_CA_CERTS', () => {
  it('messages are sent only to a host that the certificate names', async () => {
    const elsewhere = await gatewayServer(twilioAccepts, selfSigned);
    const twilio = await gatewayServer(twilioAccepts, selfSigned);
    const vonage = await gatewayServer(vonageAccepts, selfSigned);
    const smsc = await startSmsc(selfSigned);
    const dataDir = await dataFolder();
    const authority = path.join(path.dirname(dataDir), 'authority.pem');
    await writeFile(authority, selfSigned.cert);
    const service = await startProcess(dataDir, {
      ...accounts,
      NODE_EXTRA_CA_CERTS: authority,
      LEDGERLINE_GATEWAYS: 'vonage,twilio; DE=smpp',
      // Vonage has the same certificate, under a name that it is not made for.
      LEDGERLINE_GATEWAY_URLS: `twilio=${twilio.url}; vonage=${vonage.url.replace('localhost', '127.0.0.1')}`,
      LEDGERLINE_SMPP_URL: `smpps://user@localhost:${smsc.port}`,
    });
    const token = await service.token();
    const send = async (phoneNumber: string) => {
      const { json: user } = await service.call('POST', '/User', token, {});
      const body = { id: user.id, phoneNumber };
      const { status } = await service.call('POST', '/User/phone-number/send-code', token, body);
      const { json: trail } = await service.call('GET', `/operator/users/${user.id}/trail`, token);
      return { status, message: trail.messages[0] };
    };

    for (let number = 1; number <= 3; number += 1) {
      const { status, message } = await send(newPhone());
      expect(status).toBe(204);
      expect(message.tries).toMatchObject([
        { gateway: 'vonage', outcome: 'unavailable', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
        { gateway: 'twilio', outcome: 'accepted' },
      ]);
    }
    expect(vonage.received).toEqual([]);
    expect(twilio.received.map(({ headers }) => headers.host)).toEqual(Array(3).fill(new URL(twilio.url).host));
    expect(twilio.connections()).toBe(1);

    expect((await send('+4915112345678')).message).toMatchObject({ gateway: 'smpp', state: 'accepted' });
    expect(smsc.submitted).toHaveLength(1);

    twilio.behave(() => ({ status: 307, headers: { location: `${elsewhere.url}/2010-04-01` } }));
    const { status, message } = await send(newPhone());
    expect(status).toBe(503);
    expect(message.tries[1]).toMatchObject({ gateway: 'twilio', outcome: 'unavailable', reason: 'redirect 307' });
    expect(elsewhere.connections()).toBe(0);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.output.stderr).toBe('');
  });
});
