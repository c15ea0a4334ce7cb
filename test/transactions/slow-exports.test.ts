/** Exports that are read slowly. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkHttpAnswer } from '../harness/http-request.ts';
import { individualWithCopies } from '../harness/many-rows.ts';
import { row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** More than the sockets of both sides hold. */
const moreThanSocketsHold = [12_000, { paymentNotes: 'n'.repeat(1900) }] as const;

let service: Service;
let large: number;
let other: number;
beforeAll(async () => {
  service = await startService();
  large = await individualWithCopies(service, ...moreThanSocketsHold);
  other = await service.createUser();
  await service.record([row(other)]);
});
afterAll(() => service.stop());

const metrics = async ({ call }: Service) => (await call('/metrics', undefined, { method: 'GET', token: null })).text;

/** An export whose reader takes the first part of it and then nothing. */
async function slowExport(url: string, token: string, individualId: number) {
  const outgoing = request(`${url}/app/export-transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  onTestFinished(() => void outgoing.destroy());
  outgoing.on('error', () => {});
  outgoing.end(JSON.stringify({ individualId }));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  checkHttpAnswer(`${url}/app/export-transactions`, outgoing, response);
  return response;
}

describe('exports', () => {
  it('that one user reads slowly leave room for those of others', async () => {
    const token = await service.token('', large);
    const slow = await Promise.all(Array.from({ length: 8 }, () => slowExport(service.url, token, large)));
    const countOf = (status: number) => slow.filter(({ statusCode }) => statusCode === status).length;
    expect([countOf(200), countOf(429)]).toEqual([2, 6]);
    const refused = slow.find(({ statusCode }) => statusCode === 429)!;
    expect(refused.headers['error-reason']).toBe('too-many-streams');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const bound = await service.token('', other);
    for (let round = 0; round < 4; round += 1) {
      expect((await service.call('/app/export-transactions', { individualId: other }, { token: bound })).status).toBe(
        200,
      );
    }
  });

  it('that four users read slowly, and that take all slots, give way to those of others', async () => {
    const slow: IncomingMessage[] = [];
    for (let user = 0; user < 4; user += 1) {
      const id = user === 0 ? large : await individualWithCopies(service, ...moreThanSocketsHold);
      const token = await service.token('', id);
      for (let each = 0; each < 2; each += 1) slow.push(await slowExport(service.url, token, id));
    }
    expect(slow.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const isRunning = async (count: number) =>
      (await metrics(service)).includes(`ledgerline_database_work{pool="streams",state="running"} ${count}`);
    await until(() => isRunning(8));
    const bound = await service.token('', other);
    for (let round = 0; round < 20; round += 1) {
      const exported = await service.call('/app/export-transactions', { individualId: other }, { token: bound });
      expect(exported.status).toBe(200);
    }
    // One of them was ended, and the others go on.
    await until(() => isRunning(7));
    for (const response of slow) response.destroy();
    await until(() => isRunning(0));
  });

  it('are cut off when they are read too slowly, and their place is free again', async () => {
    const strict = await serviceForTest(
      { LEDGERLINE_EXPORTS: '1' },
      { slowestRead: { bytesPerSecond: 10_000, seconds: 1 } },
    );
    const id = await individualWithCopies(strict, ...moreThanSocketsHold);
    const response = await slowExport(strict.url, await strict.token(), id);
    expect((await strict.call('/app/export-transactions', { individualId: id })).status).toBe(429);
    await until(async () =>
      (await metrics(strict)).includes('ledgerline_database_work{pool="streams",state="running"} 0'),
    );
    let isWhole = false;
    response.on('end', () => (isWhole = true)).resume();
    await until(() => response.closed || response.destroyed);
    expect(isWhole).toBe(false);
  });
});
