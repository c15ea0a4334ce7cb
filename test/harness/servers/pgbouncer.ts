/** pgbouncer in front of the PostgreSQL of the tests, if it is installed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { isRoot, nobody } from '../../../src/db/embedded/binaries.ts';
import { freePort } from '../../../src/network/free-port.ts';
import { cloneDatabase } from '../service.ts';
import { until } from '../until.ts';

export const pgbouncerProgram = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(
  (file) => existsSync(file),
);

/** As Debian configures it but for the mode: nothing is set for our sake. */
export async function startPgbouncer(mode: 'session' | 'transaction', more = ''): Promise<string> {
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
  const child = spawn(pgbouncerProgram!, [settings], { stdio: 'ignore', ...(isRoot && { uid: nobody, gid: nobody }) });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  await until(() => isListening(ownPort));
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
