import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { dataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { newPhone } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

/** Between two calls of a lane, which would else take the processor from all other tests. */
const pause = () => sleep(sized(10, 0));

interface Acknowledged {
  transactions: { individualId: number; transactionId: string }[];
  used: { id: number; code: string; phone: string }[];
}

/** Calls until the service is gone, and notes what it said yes to. */
async function recordUntilGone(
  service: ServiceProcess,
  token: string,
  individualId: number,
  lane: string,
  kept: Acknowledged,
): Promise<void> {
  for (let number = 0; ; number += 1) {
    await pause();
    const transactionId = `${lane}-${number}`;
    const transaction = {
      individualId,
      transactionId,
      amount: '1.00',
      currency: 'EUR',
      timeStamp: '2026-01-01T00:00:00Z',
    };
    try {
      const { status, json } = await service.call('POST', '/app/record-transactions', token, {
        transactions: [transaction],
      });
      if (status === 200 && json.results[0].result === 'created')
        kept.transactions.push({ individualId, transactionId });
    } catch {
      return;
    }
  }
}

async function verifyUntilGone(service: ServiceProcess, token: string, kept: Acknowledged): Promise<void> {
  for (;;) {
    await pause();
    try {
      const { json: user } = await service.call('POST', '/User', token, {});
      const phone = newPhone();
      await service.call('POST', '/User/phone-number/send-code', token, { id: user.id, phoneNumber: phone });
      const { json: messages } = await service.call(
        'GET',
        `/sandbox/messages?phoneNumber=${encodeURIComponent(phone)}`,
        null,
      );
      const { code } = messages[0];
      const { status } = await service.call('POST', '/User/phone-number/verify', token, { id: user.id, code });
      if (status === 200) kept.used.push({ id: user.id, code, phone });
    } catch {
      return;
    }
  }
}

it(
  'kill -9, again and again: everything acknowledged is there after the restart, and every code that answered 200 is used',
  { timeout: 240_000 },
  async () => {
    const dataDir = await dataFolder();
    const kept: Acknowledged = { transactions: [], used: [] };
    let service = await startProcess(dataDir);
    const { json: user } = await service.call('POST', '/User', await service.token(), {});
    const rounds = sized(2, 5);
    for (let round = 0; round < rounds; round += 1) {
      const token = await service.token();
      const lanes = [
        ...Array.from({ length: 3 }, (_, lane) => recordUntilGone(service, token, user.id, `${round}-${lane}`, kept)),
        ...Array.from({ length: 3 }, () => verifyUntilGone(service, token, kept)),
      ];
      // However slow the machine is, something has been said yes to when it dies, and at no particular moment.
      const before = { transactions: kept.transactions.length, used: kept.used.length };
      await until(() => kept.transactions.length >= before.transactions + 6 && kept.used.length >= before.used + 3);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      await service.end('SIGKILL');
      await Promise.all(lanes);
      service = await startProcess(dataDir);
    }
    const token = await service.token();
    const listed = new Set<string>();
    let count = 0;
    for (let dataBatch = 1; ; dataBatch += 1) {
      const { json } = await service.call('POST', '/app/get-all-transactions', token, {
        individualId: user.id,
        dataBatch,
        dataBatchCount: 1000,
      });
      count = json.transactionCount;
      for (const { transactionId } of json.transactions) listed.add(transactionId);
      if (json.transactions.length < 1000) break;
    }
    expect(kept.transactions.length).toBeGreaterThanOrEqual(6 * rounds);
    expect(kept.used.length).toBeGreaterThanOrEqual(3 * rounds);
    expect(kept.transactions.filter(({ transactionId }) => !listed.has(transactionId))).toEqual([]);
    expect(count).toBe(listed.size);
    for (const { id, code, phone } of kept.used) {
      expect((await service.call('GET', `/User/${id}/status`, token)).json).toMatchObject({
        isPhoneNumberVerified: true,
        phoneNumber: phone,
      });
      expect((await service.call('POST', '/User/phone-number/verify', token, { id, code })).status).toBe(400);
    }
    await service.end('SIGTERM');
  },
);
