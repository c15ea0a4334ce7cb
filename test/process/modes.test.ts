/** A database belongs to the sandbox or to production, and neither opens the other's. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { refusedStart } from '../harness/command.ts';
import { dataFolder, preparedDataFolder, startProcess } from '../harness/process.ts';
import { cloneDatabase, startService } from '../harness/service.ts';

const production = {
  MODE: 'production',
  HOST: '127.0.0.1',
  LEDGERLINE_ISSUER: 'https://id.example.com',
  LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64'),
  LEDGERLINE_COUNTRIES: 'GB',
  LEDGERLINE_GATEWAYS: 'webhook',
  LEDGERLINE_WEBHOOK_URL: 'https://gateway.example.com',
  LEDGERLINE_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
};

async function withSql<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

async function ownDatabase(): Promise<string> {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  return database.url;
}

const countUsers = (url: string) =>
  withSql(url, async (sql) => (await sql`select count(*)::int as users from users`)[0]!.users as number);

describe('--fresh removes nothing of a database that has served production', () => {
  it('in the embedded PostgreSQL', { timeout: 180_000 }, async () => {
    const dataDir = await preparedDataFolder();
    const embedded = async (work: (sql: postgres.Sql) => Promise<unknown>) => {
      const server = await startEmbedded({ dataDir });
      await withSql(server.url, work).finally(() => server.stop());
    };
    await embedded((sql) => sql`update installation set served_production = true`);
    expect(await refusedStart({ DATA_DIR: dataDir }, true)).toMatch(/^This database has served production/);
    await embedded(async (sql) => {
      expect((await sql`select from users`).length).toBe(1);
      await sql`update installation set served_production = false`;
      await sql`insert into users (id, created_at) values (77, now())`;
      // As a database from before the first release, which only --fresh can start on.
      await sql`insert into migrations (name, kind) values ('0001_core.sql', 'expand')`;
    });
    expect(await refusedStart({ DATA_DIR: dataDir })).toMatch(/^This database was made by a Ledgerline from before/);
    const fresh = await startProcess(dataDir, {}, ['--fresh']);
    expect((await fresh.call('GET', '/User/77/status', await fresh.token())).status).toBe(404);
    await fresh.end('SIGTERM');
  });

  it('behind DATABASE_URL, where not even the schema is touched', async () => {
    const url = await ownDatabase();
    await withSql(url, async (sql) => {
      await sql`update installation set served_production = true`;
      await sql`insert into users (id, created_at) values (77, now())`;
      await sql`delete from migrations`;
    });
    const settings = { DATABASE_URL: url, DATA_DIR: await dataFolder() };
    expect(await refusedStart(settings, true)).toMatch(/^This database has served production/);
    expect(await countUsers(url)).toBe(1);
  });
});

describe('production', () => {
  it('refuses a database that has served the sandbox, and says what to do', async () => {
    const url = await ownDatabase();
    const sandbox = await startService({ DATABASE_URL: url });
    await sandbox.stop();
    expect(await refusedStart({ ...production, DATABASE_URL: url })).toBe(
      'This database has served the sandbox: phones that were verified through its inbox, rules that were switched off ' +
        'and the demo wallet would stay. Set DATABASE_URL to a new database, or MODE=sandbox.',
    );
  });

  it('opens a new database, and its own again; then the sandbox refuses it', async () => {
    const url = await ownDatabase();
    const settings = { ...production, DATABASE_URL: url };
    for (let start = 0; start < 2; start += 1) {
      const service = await startService(settings);
      await service.stop();
    }
    expect(await refusedStart({ DATABASE_URL: url, DATA_DIR: await dataFolder() })).toMatch(/has served production/);
  });
});
