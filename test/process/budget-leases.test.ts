/** What the daily budgets count when processes start, stop and are killed: hardly more than what was sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../harness/until.ts';
import { dataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, newPhone, serviceForTest } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

const cap = 10_000;
const starts = sized(2, 10);

async function shareDatabase() {
  const database = await cloneDatabase();
  const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await database.drop();
  });
  const dataDir = await dataFolder();
  const settings = {
    DATABASE_URL: database.url,
    LEDGERLINE_RULES: 'country-sends=enforce,spend=enforce',
    LEDGERLINE_COUNTRY_SENDS: `*=${cap}`,
    LEDGERLINE_PRICES: '*=0.01',
    LEDGERLINE_SPEND: `day=${cap / 100}`,
  };
  return {
    settings,
    start: (more: Record<string, string> = {}) => startProcess(dataDir, { ...settings, ...more }),
    /** The units that are counted, in texts. */
    async counted(): Promise<number[]> {
      // A text costs 100 ten-thousandths.
      const rows = await sql`
        select (case when name like 'sends %' then used else used / 100.0 end)::float8 as texts from guard_budgets`;
      return rows.map(({ texts }) => texts);
    },
  };
}

async function send(service: ServiceProcess, token: string): Promise<void> {
  const { json: user } = await service.call('POST', '/User', token, {});
  const body = { id: user.id, phoneNumber: newPhone() };
  expect((await service.call('POST', '/User/phone-number/send-code', token, body)).status).toBe(204);
}

it(
  `${starts} starts, half of which end by kill -9, cost less than a thousandth of a budget`,
  { timeout: 300_000 },
  async () => {
    const { start, counted } = await shareDatabase();
    let sent = 0;
    for (let round = 0; round < starts; round += 1) {
      const service = await start();
      const token = await service.token();
      for (let text = 0; text < 4; text += 1) {
        await send(service, token);
        sent += 1;
        // A process leases for a quarter of a second.
        await sleep(300);
      }
      await service.end(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    }
    for (const texts of await counted()) {
      expect(texts).toBeGreaterThanOrEqual(sent);
      expect(texts - sent).toBeLessThan(cap / 1000);
    }
  },
);

const each = sized(8, 20);

it('a burst is counted exactly after a stop, also with two processes', { timeout: 300_000 }, async () => {
  const { start, counted } = await shareDatabase();
  const service = await start({ LEDGERLINE_PROCESSES: '2' });
  const token = await service.token();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let text = 0; text < each; text += 1) await send(service, token);
    }),
  );
  expect(await service.end('SIGTERM')).toBe(0);
  expect(await counted()).toEqual(Array(3).fill(8 * each));
});

const texts = sized(40, 60);

it('a process that sends no more gives its units back while it runs', { timeout: 120_000 }, async () => {
  const { settings, counted } = await shareDatabase();
  const service = await serviceForTest(settings);
  const sendOne = async () => {
    expect((await service.sendCode(await service.createUser(), newPhone())).status).toBe(204);
  };
  await Promise.all(Array.from({ length: texts }, sendOne));
  await until(async () => (await counted()).every((count) => count === texts));
});
