/** SMPP 3.4, against an SMSC of our own and, where it is installed, against Net::SMPP, which we did not write. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { gsmOctets } from '../../src/sms/encoding.ts';
import type { Message, Receipt } from '../../src/sms/gateway.ts';
import { createSmpp } from '../../src/sms/gateways/smpp.ts';
import { startSmsc } from '../harness/servers/smsc.ts';
import { until } from '../harness/until.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

const message: Message = {
  reference: '1.1.1.x',
  e164: '+447911123456',
  country: 'GB',
  channel: 'sms',
  locale: 'en',
  text: 'Acme: 123456 is your code. 5 €',
  code: '123456',
  purpose: 'verification',
  validSeconds: 600,
};

function client(port: number, { window = 50, enquireMilliseconds = 15_000 } = {}) {
  const receipts: Receipt[] = [];
  const values = { smppUrl: `smpp://user@127.0.0.1:${port}?window=${window}`, smppPassword: 'secret' };
  const context = {
    sender: (country?: string) => (country === 'US' ? '+15550001' : country === 'CA' ? '12345' : 'Acme'),
    onReceipt: (receipt: Receipt) => void receipts.push(receipt),
    onLink: () => {},
  };
  const gateway = createSmpp(values, context, enquireMilliseconds);
  onTestFinished(() => gateway.close!());
  return { gateway, receipts };
}

describe('SMPP', () => {
  it('binds and submits, with the sender, the validity and a wish for a receipt', async () => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port);
    expect(await gateway.send(message, 20_000)).toEqual({ outcome: 'accepted', gatewayId: 'm1' });
    expect(smsc.submitted).toEqual([
      {
        id: 'm1',
        source: 'Acme',
        sourceTon: 5,
        destination: '447911123456',
        esmClass: 0,
        validity: '000000001000000R',
        wantsReceipt: true,
        dataCoding: 0,
        octets: gsmOctets(message.text),
        optional: {},
      },
    ]);
    await gateway.send({ ...message, country: 'US', validSeconds: 90_061 }, 20_000);
    expect(smsc.submitted[1]).toMatchObject({ source: '15550001', sourceTon: 1, validity: '000001010101000R' });
    await gateway.send({ ...message, country: 'CA' }, 20_000);
    expect(smsc.submitted[2]).toMatchObject({ source: '12345', sourceTon: 3 });
    await gateway.close!();
    expect(smsc.commands).toEqual([9, 4, 4, 4, 6]);
  });

  it('sends other alphabets as UCS-2, and long texts in parts', async () => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port);
    await gateway.send({ ...message, text: 'Код 123456' }, 20_000);
    expect(smsc.submitted[0]).toMatchObject({ dataCoding: 8 });
    expect(Buffer.from(smsc.submitted[0]!.octets).swap16().toString('utf16le')).toBe('Код 123456');
    const long = 'ab€'.repeat(60);
    expect(await gateway.send({ ...message, text: long }, 20_000)).toMatchObject({
      outcome: 'accepted',
      gatewayId: 'm3',
    });
    const parts = smsc.submitted.slice(1);
    expect(parts.map(({ esmClass, wantsReceipt }) => [esmClass, wantsReceipt])).toEqual([
      [0x40, false],
      [0x40, true],
    ]);
    expect(parts.map(({ octets }) => [...octets.subarray(0, 6)])).toEqual([
      [5, 0, 3, expect.any(Number), 2, 1],
      [5, 0, 3, expect.any(Number), 2, 2],
    ]);
    expect(parts[0]!.octets[3]).toBe(parts[1]!.octets[3]);
    expect(Buffer.concat(parts.map(({ octets }) => octets.subarray(6)))).toEqual(gsmOctets(long));
  });

  it('adds the ids of a registered text to every part of it', async () => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port);
    const text = 'a'.repeat(200);
    await gateway.send({ ...message, text, dlt: { entity: '1101', template: '1107', telemarketer: '1102' } }, 20_000);
    await gateway.send({ ...message, dlt: { entity: '1101', template: undefined, telemarketer: undefined } }, 20_000);
    const all = { 0x1400: '1101\0', 0x1401: '1107\0', 0x1402: '1102\0' };
    expect(smsc.submitted.map(({ optional }) => optional)).toEqual([all, all, { 0x1400: '1101\0' }]);
  });

  it.each([
    [0x58, 'unavailable', { retryAfterSeconds: 1, isHealthy: true }],
    [0x14, 'unavailable', { retryAfterSeconds: 1, isHealthy: true }],
    [0x08, 'unavailable'],
    [0x45, 'unavailable', { isHealthy: true }],
    [0x0a, 'unavailable', { isHealthy: true }],
    [0x0b, 'refused'],
  ])('knows what status %i means', async (status, expected, more?) => {
    const smsc = await startSmsc();
    smsc.answer = status;
    const outcome = await client(smsc.port).gateway.send(message, 20_000);
    expect(outcome).toEqual({
      outcome: expected,
      reason: `status 0x${status.toString(16).padStart(2, '0')}`,
      ...more,
    });
  });

  it('takes receipts, in the text or in fields of their own, and answers them', async () => {
    const smsc = await startSmsc();
    const { gateway, receipts } = client(smsc.port);
    await gateway.send(message, 20_000);
    smsc.receipt('m1', 'DELIVRD');
    smsc.receipt('m2', 'UNDELIV');
    smsc.receipt('m3', 'ENROUTE');
    smsc.receipt('m4', 'DELIVRD', 'fields');
    await until(() => receipts.length === 3);
    expect(receipts).toEqual([
      { id: 'm1', state: 'delivered' },
      { id: 'm2', state: 'failed', reason: 'UNDELIV 042' },
      { id: 'm4', state: 'delivered' },
    ]);
    await until(() => smsc.commands.filter((command) => command === 0x80000005).length === 4);
  });

  it('keeps to its window', async () => {
    const smsc = await startSmsc();
    smsc.answerAfterMilliseconds = 20;
    const { gateway } = client(smsc.port, { window: 5 });
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => gateway.send(message, 20_000)));
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
    expect(smsc.maxAtOnce).toBe(5);
    smsc.answer = 'silent';
    const unanswered = await Promise.all(Array.from({ length: 6 }, () => gateway.send(message, 300)));
    expect(unanswered[0]).toMatchObject({ outcome: 'unknown', reason: 'no answer in time' });
    expect(unanswered[5]).toMatchObject({ outcome: 'unavailable', reason: 'the window stayed full' });
  });

  it('answers everything that waited when the SMSC goes, and binds anew when it is back', async () => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port);
    await gateway.send(message, 20_000);
    smsc.answer = 'silent';
    const waiting = Promise.all(Array.from({ length: 100 }, () => gateway.send(message, 10_000)));
    await until(() => smsc.submitted.length === 51);
    await smsc.stop();
    const outcomes = await waiting;
    // Those on their way may have arrived; those that waited for their turn have not.
    expect(outcomes.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(50);
    expect(outcomes.filter(({ outcome }) => outcome === 'unavailable')).toHaveLength(50);
    expect(await gateway.send(message, 500)).toMatchObject({ outcome: 'unavailable' });
    smsc.answer = 0;
    await smsc.start();
    await until(async () => (await gateway.send(message, 1000)).outcome === 'accepted');
  });

  it('says why it cannot bind', async () => {
    const smsc = await startSmsc();
    smsc.bindStatus = 0x0e;
    const { gateway } = client(smsc.port);
    await until(async () => {
      const answer = await gateway.send(message, 300);
      expect(answer.outcome).toBe('unavailable');
      return answer.outcome === 'unavailable' && answer.reason === 'bind refused, status 0x0e';
    });
    expect(smsc.submitted).toEqual([]);
  });

  it('probes a silent link, answers the probes of the SMSC, and closes a link that does not answer', async () => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port, { enquireMilliseconds: 60 });
    await gateway.send(message, 20_000);
    await until(() => smsc.commands.includes(0x15));
    smsc.write(Buffer.from('00000010000000150000000000000007', 'hex'));
    await until(() => smsc.commands.includes(0x80000015));
    // A command it does not know is refused, and the session goes on.
    smsc.write(Buffer.from('00000010000001030000000000000008', 'hex'));
    await until(() => smsc.commands.includes(0x80000000));
    expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
    smsc.deaf = true;
    await until(async () => {
      const outcome = await gateway.send(message, 50);
      return outcome.outcome !== 'accepted' && outcome.reason === 'the link is silent';
    });
    smsc.deaf = false;
    await until(async () => (await gateway.send(message, 1000)).outcome === 'accepted');
  });

  it.each([
    ['a packet too short', '00000004'],
    ['a packet too long', '7fffffff000000150000000000000001'],
    ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n').toString('hex')],
  ])('connects again after %s', async (_what, octets) => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port);
    await gateway.send(message, 20_000);
    smsc.write(Buffer.from(octets.padEnd(32, '0'), 'hex'));
    await until(() => smsc.commands.filter((command) => command === 9).length === 2);
    await until(async () => (await gateway.send(message, 1000)).outcome === 'accepted');
  });

  it('survives deliveries of any content', async () => {
    const smsc = await startSmsc();
    const { gateway } = client(smsc.port);
    await gateway.send(message, 20_000);
    for (const body of ['', '00', 'ff'.repeat(30), '00'.repeat(200), '0001013434370005004163000400000000000000ff41']) {
      const length = (16 + body.length / 2).toString(16).padStart(8, '0');
      smsc.write(Buffer.from(`${length}000000050000000000000009${body}`, 'hex'));
    }
    expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
  });

  it('the metrics show whether the link is up, before any send', async () => {
    const smsc = await startSmsc();
    const service = await serviceForTest({
      LEDGERLINE_GATEWAYS: 'smpp',
      LEDGERLINE_SMPP_URL: `smpp://user@127.0.0.1:${smsc.port}`,
      LEDGERLINE_SMPP_PASSWORD: 'secret',
    });
    const isUp = async () =>
      /^ledgerline_gateway_link_up\{gateway="smpp"\} (\d)$/m.exec(
        await (await fetch(`${service.url}/metrics`)).text(),
      )?.[1];
    await until(async () => (await isUp()) === '1');
    await smsc.stop();
    await until(async () => (await isUp()) === '0');
    await smsc.start();
    await until(async () => (await isUp()) === '1');
  });

  it('carries the service’s codes, and its receipts reach the trail', async () => {
    const smsc = await startSmsc();
    const service = await serviceForTest({
      LEDGERLINE_GATEWAYS: 'smpp',
      LEDGERLINE_SMPP_URL: `smpp://user@127.0.0.1:${smsc.port}`,
      LEDGERLINE_SMPP_PASSWORD: 'hunter2',
    });
    const id = await service.createUser();
    expect((await service.sendCode(id, newPhone())).status).toBe(204);
    const [one] = smsc.submitted;
    smsc.receipt('unknown', 'DELIVRD');
    smsc.receipt(one!.id, 'DELIVRD');
    smsc.receipt(one!.id, 'UNDELIV');
    const state = async () => (await service.sql`select state from messages where user_id = ${id}`)[0]!.state;
    await until(async () => (await state()) === 'delivered');
    const code = /\d{6}/.exec(one!.octets.toString('latin1'))![0];
    expect((await service.verify(id, code)).status).toBe(200);
    expect(await state()).toBe('delivered');
    expect(service.logLines.join('')).not.toContain('hunter2');
  });

  it('a receipt does not count for an old message whose id the SMSC gave again', async () => {
    const smsc = await startSmsc();
    const service = await serviceForTest({
      LEDGERLINE_GATEWAYS: 'smpp',
      LEDGERLINE_SMPP_URL: `smpp://user@127.0.0.1:${smsc.port}`,
      LEDGERLINE_SMPP_PASSWORD: 'hunter2',
    });
    const [earlier, id] = [await service.createUser(), await service.createUser()];
    await service.sendCode(earlier, newPhone());
    await service.sendCode(id, newPhone());
    const given = smsc.submitted[1]!.id;
    await service.sql`
      update messages set gateway_message_id = ${given}, requested_at = now() - interval '4 days' where user_id = ${earlier}`;
    smsc.receipt(given, 'UNDELIV');
    const stateOf = async (user: number) =>
      (await service.sql`select state from messages where user_id = ${user}`)[0]!.state;
    await until(async () => (await stateOf(id)) === 'failed');
    expect(await stateOf(earlier)).toBe('accepted');
  });
});

describe('SMPP with another implementation (Net::SMPP)', () => {
  const script = fileURLToPath(new URL('../harness/servers/smsc.pl', import.meta.url));

  function isInstalled(): boolean {
    try {
      execFileSync('perl', ['-MNet::SMPP', '-e', '1'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }

  async function startPeer(port: number): Promise<{ child: ChildProcess; lines(): string[] }> {
    const child = spawn('perl', [script, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    await until(() => output.includes('listening') || child.exitCode !== null);
    return { child, lines: () => output.trim().split('\n').slice(1) };
  }

  it('binds, submits in both alphabets and in parts, is throttled, gets receipts, enquires and unbinds', async (context) => {
    if (!isInstalled()) context.skip('Net::SMPP is not installed (Debian: apt-get install libnet-smpp-perl)');
    const port = await freePort('127.0.0.1');
    const peer = await startPeer(port);
    const { gateway, receipts } = client(port, { enquireMilliseconds: 500 });
    expect(await gateway.send(message, 20_000)).toEqual({ outcome: 'accepted', gatewayId: 'p1' });
    expect((await gateway.send({ ...message, text: 'Код 123456' }, 20_000)).outcome).toBe('accepted');
    expect((await gateway.send({ ...message, text: 'long '.repeat(40) }, 20_000)).outcome).toBe('accepted');
    expect(await gateway.send({ ...message, text: 'throttle' }, 20_000)).toEqual({
      outcome: 'unavailable',
      reason: 'status 0x58',
      retryAfterSeconds: 1,
      isHealthy: true,
    });
    const dlt = { entity: '1101', template: '1107', telemarketer: '1102' };
    expect((await gateway.send({ ...message, text: 'in India', dlt }, 20_000)).outcome).toBe('accepted');
    await until(() => receipts.length === 4);
    expect(receipts.map(({ id, state }) => [id, state])).toEqual([
      ['p1', 'delivered'],
      ['p2', 'delivered'],
      ['p4', 'delivered'],
      ['p6', 'delivered'],
    ]);
    await until(() => peer.lines().includes('enquire_link'));
    await gateway.close!();
    await until(() => peer.lines().includes('unbind'));
    const hex = (text: Buffer) => text.toString('hex');
    const long = gsmOctets('long '.repeat(40))!;
    const lines = peer.lines().filter((line) => /^(bind|submit)/.test(line));
    expect(lines.map((line) => line.replace(/ 050003..02/, ' 050003XX02'))).toEqual([
      'bind user secret',
      `submit Acme 447911123456 coding=0 esm=0 receipt=1 validity=000000001000000R ${hex(gsmOctets(message.text)!)}`,
      'submit Acme 447911123456 coding=8 esm=0 receipt=1 validity=000000001000000R 041a043e04340020003100320033003400350036',
      `submit Acme 447911123456 coding=0 esm=64 receipt=0 validity=000000001000000R 050003XX0201${hex(long.subarray(0, 153))}`,
      `submit Acme 447911123456 coding=0 esm=64 receipt=1 validity=000000001000000R 050003XX0202${hex(long.subarray(153))}`,
      expect.stringContaining(hex(gsmOctets('throttle')!)),
      expect.stringMatching(new RegExp(`${hex(gsmOctets('in India')!)} 1400=1101 1401=1107 1402=1102$`)),
    ]);
    expect(peer.lines().filter((line) => line === 'deliver_sm_resp 0')).toHaveLength(4);
  });

  it('that is killed while messages wait and started again is bound again', async (context) => {
    if (!isInstalled()) context.skip('Net::SMPP is not installed (Debian: apt-get install libnet-smpp-perl)');
    const port = await freePort('127.0.0.1');
    const peer = await startPeer(port);
    const { gateway } = client(port);
    expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
    const storm = Promise.all(Array.from({ length: 200 }, () => gateway.send(message, 20_000)));
    const gone = once(peer.child, 'exit');
    peer.child.kill('SIGKILL');
    await gone;
    const outcomes = await storm;
    expect(outcomes).toHaveLength(200);
    expect(outcomes.some(({ outcome }) => outcome !== 'accepted')).toBe(true);
    await startPeer(port);
    await until(async () => (await gateway.send(message, 1000)).outcome === 'accepted');
  });
});
