/** docs/backup.md as somebody follows it: a real archive by pgBackRest, a lost server, a restore, a service on it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { dataFolder, run, startProcess, type ServiceProcess } from '../harness/process.ts';
import { initialize, Server, serverUser } from '../harness/servers.ts';
import { row } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const execute = promisify(execFile);
const page = await readFile(path.resolve(import.meta.dirname, '../../docs/backup.md'), 'utf8');
// Also blocks that are part of a list.
const blocks = [...page.matchAll(/^ *```(\S+) ?(\S*)\n([^]*?)^ *```$/gm)].map(([, language, mark, text]) => ({
  language,
  mark,
  text: text!.replaceAll(/^ +/gm, ''),
}));
const runBlocks = (language: string) =>
  blocks.filter((block) => block.language === language && block.mark === 'run').map(({ text }) => text);

/** The version that pgBackRest 2.45 of Debian supports. */
const binaries = '/usr/lib/postgresql/15';
const isInstalled = existsSync(binaries) && existsSync('/usr/bin/pgbackrest');

it('every block of docs/backup.md says whether it is run', () => {
  expect(blocks.filter(({ mark }) => mark !== 'run' && mark !== 'not-run')).toEqual([]);
});

/** A server with the settings of the page, in folders of this test. */
async function startArchived() {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-backup-'));
  await chmod(folder, 0o777);
  const data = path.join(folder, 'main');
  const server = new Server(binaries, data, await freePort());
  onTestFinished(async () => {
    await server.crash();
    await rm(folder, { recursive: true, force: true });
  });
  await initialize(binaries, data);
  await chmod(folder, 0o777);
  const [repository, settings] = runBlocks('ini');
  const paths = { '/var/lib/pgbackrest': path.join(folder, 'repository'), '/var/lib/postgresql/15/main': data };
  const configuration = Object.entries(paths).reduce((text, [from, to]) => text.replace(from, to), repository!);
  await writeFile(path.join(folder, 'pgbackrest.conf'), configuration, { mode: 0o644 });
  await writeFile(path.join(data, 'postgresql.conf'), settings!, { flag: 'a' });
  const environment = {
    PATH: process.env.PATH!,
    PGBACKREST_CONFIG: path.join(folder, 'pgbackrest.conf'),
    PGBACKREST_PG1_PORT: String(server.port),
    PGBACKREST_PG1_SOCKET_PATH: folder,
    ...Object.fromEntries(['LOG', 'LOCK', 'SPOOL'].map((name) => [`PGBACKREST_${name}_PATH`, path.join(folder, name)])),
  };
  const start = () => server.start({ unix_socket_directories: folder }, environment);
  await start();
  return {
    server,
    start,
    shell: (script: string) => execute('sh', ['-euc', script], { ...serverUser, cwd: folder, env: environment }),
  };
}

const createUser = async (service: ServiceProcess) =>
  (await service.call('POST', '/User', await service.token(), {})).json.id as number;

it.skipIf(!isInstalled)(
  'what was archived is restored, erasures included, and no id is given out again',
  { timeout: 240_000 },
  async () => {
    const { server, start, shell } = await startArchived();
    await server.ask('create database ledgerline');
    const dataDir = await dataFolder();
    const settings = { DATABASE_URL: server.url };
    const service = await startProcess(dataDir, settings);
    const erased = await createUser(service);
    const [backup, restore] = runBlocks('sh').filter((text) => text.includes('pgbackrest'));
    expect((await shell(backup!)).stdout).toMatch(/full backup: /);

    const archived = await createUser(service);
    const rows = { transactions: [row(archived), row(archived)] };
    expect((await service.call('POST', '/app/record-transactions', await service.token(), rows)).status).toBe(200);
    await service.call('DELETE', `/User/${erased}`, await service.token());
    const list = path.join(path.dirname(dataDir), 'erased.txt');
    await writeFile(list, (await run(['erased', '--since', '2020-01-01'], settings)).stdout);
    const [segment] = await server.ask('select pg_walfile_name(pg_switch_wal()) as name');
    await until(
      async () =>
        (await server.ask('select last_archived_wal as name from pg_stat_archiver'))[0]!.name >= segment!.name,
    );
    // Written after the last segment that was archived: this is the loss.
    const lost = await createUser(service);
    await service.end('SIGTERM');
    await server.crash();

    await shell(restore!);
    await start();
    await until(async () => !(await server.ask('select pg_is_in_recovery() as is'))[0]!.is);
    const command = runBlocks('sh').find((text) => text.startsWith('ledgerline'))!;
    const words = command.trim().replace('erased.txt', list).split(' ').slice(1);
    const quiet = { ...settings, LEDGERLINE_QUIET: 'true' };
    const doctor = await run(words, { ...quiet, DATA_DIR: dataDir });
    expect([doctor.code, doctor.stdout]).toEqual([
      0,
      expect.stringMatching(/✓ Restored: [^]*✓ Ids: [^]*✓ Erased: 1 users/),
    ]);

    const restored = await startProcess(dataDir, quiet);
    const statusOf = async (id: number) =>
      (await restored.call('GET', `/User/${id}/status`, await restored.token())).status;
    expect(await Promise.all([erased, archived, lost].map(statusOf))).toEqual([404, 200, 404]);
    const listed = await restored.call('POST', '/app/get-all-transactions', await restored.token(), {
      dataBatch: 1,
      individualId: archived,
    });
    expect(listed.json.transactionCount).toBe(2);
    expect(await createUser(restored)).toBeGreaterThan(lost + 9_000_000);
    const send = { id: archived, phoneNumber: '+447911123456', correlationType: 0 };
    const sent = await restored.call('POST', '/User/phone-number/send-code', await restored.token(), send);
    expect([sent.status, sent.headers.get('error-reason')]).toEqual([503, 'send-failed']);
    await restored.end('SIGTERM');
  },
);
