/** pgbouncer in front of PostgreSQL: session mode works, transaction mode is refused with what to do. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isRoot, nobody } from '../../src/db/binaries.ts';
import { openConnection } from '../../src/db/pool.ts';
import { freePort } from '../../src/free-port.ts';
import { run } from '../harness/process.ts';
import { cloneDatabase, row, serviceForTest } from '../harness/service.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find((file) =>
  existsSync(file),
);

/** As Debian configures it but for the mode: nothing is set for our sake. */
async function startPgbouncer(mode: 'session' | 'transaction', more = ''): Promise<string> {
  const database = await cloneDatabase();
  const { hostname, port, username, password, pathname } = new URL(database.url);
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-pgbouncer-'));
  await chmod(folder, 0o755);
  const ownPort = await freePort();
  const users = path.join(folder, 'userlist.txt');
  await writeFile(users, `"${username}" "${password}"\n`);
  const settings = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${ownPort}\n` +
      `unix_socket_dir =\nauth_type = scram-sha-256\nauth_file = ${users}\npool_mode = ${mode}\n${more}\n`,
  );
  const child = spawn(program!, [settings], { stdio: 'ignore', ...(isRoot && { uid: nobody, gid: nobody }) });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  await vi.waitUntil(() => isListening(ownPort), { timeout: 10_000 });
  return `postgres://${username}:${password}@127.0.0.1:${ownPort}${pathname}`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

describe.skipIf(program === undefined)('through pgbouncer', () => {
  it('in session mode everything works, without a setting for it', async () => {
    const url = await startPgbouncer('session');
    const service = await serviceForTest({ DATABASE_URL: url });
    const id = await service.verifiedUser();
    expect((await service.record(Array.from({ length: 60 }, () => row(id)))).status).toBe(200);
    expect((await service.list({ individualId: id, search: 't-' })).json.transactionCount).toBe(60);
    const exported = await service.call('/app/export-transactions', { individualId: id });
    expect(exported.text.trim().split('\n')).toHaveLength(61);
    const doctor = await run(['doctor'], { DATABASE_URL: url });
    expect(doctor.stdout).toContain('✓ Database: PostgreSQL');
  });

  it('in session mode each session has its settings, also when pgbouncer ignores those of a startup', async () => {
    const url = await startPgbouncer('session', 'ignore_startup_parameters = search_path, statement_timeout');
    for (let session = 0; session < 3; session += 1) {
      const sql = openConnection(url, 7);
      const [found] = await sql`
        select current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
          current_setting('plan_cache_mode') as plans`;
      expect(found).toEqual({ path: 'ledgerline', timeout: '7s', plans: 'force_generic_plan' });
      await sql.end();
    }
  });

  it('in transaction mode the start is refused in words, and doctor says the same', async () => {
    const url = await startPgbouncer('transaction');
    const sentence =
      /cannot be used: it is reached through a pooler in transaction or statement mode\. Set pool_mode = session/;
    await expect(serviceForTest({ DATABASE_URL: url })).rejects.toThrow(sentence);
    const doctor = await run(['doctor'], { DATABASE_URL: url });
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(sentence)]);
  });
});
