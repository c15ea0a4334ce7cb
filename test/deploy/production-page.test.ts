/** docs/production.md as somebody follows it: the blocks that are marked `run`, in their order. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { splitStatements } from '../../src/db/migrations/split-statements.ts';
import { freePort } from '../../src/network/free-port.ts';
import { databaseUrl } from '../harness/database/cluster.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { dropDatabase } from '../harness/service.ts';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const page = await readFile(path.join(root, 'docs/production.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\S+) ?(\S*)\n([^]*?)^```$/gm)].map(([, language, mark, text]) => ({
  language,
  mark,
  text: text!,
}));
const runBlocks = (language: string) =>
  blocks.filter((block) => block.language === language && block.mark === 'run').map(({ text }) => text);

it('every block of docs/production.md says whether it is run', () => {
  expect(blocks.filter(({ mark }) => mark !== 'run' && mark !== 'not-run')).toEqual([]);
  expect(runBlocks('sh').length).toBeGreaterThanOrEqual(5);
});

/** The names of the page, made unique: roles belong to the whole server. */
const suffix = randomBytes(4).toString('hex');
const unique = (text: string) =>
  text
    .replaceAll(/ledgerline_(owner|service)/g, `$1_${suffix}`)
    .replace('create database ledgerline ', `create database page_${suffix} `);

async function createRolesAndDatabase() {
  const sql = postgres(inject('clusterUrl'), { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await dropDatabase(sql, `page_${suffix}`);
    await sql.unsafe(`drop role if exists owner_${suffix}`);
    await sql.unsafe(`drop role if exists service_${suffix}`);
    await sql.end();
  });
  for (const block of runBlocks('sql')) {
    for (const statement of splitStatements(unique(block))) await sql.unsafe(statement);
  }
  const urlOf = (role: string) => {
    const url = new URL(databaseUrl(inject('clusterUrl'), `page_${suffix}`));
    url.username = `${role}_${suffix}`;
    url.password = `${role}-password`;
    return url.href;
  };
  return { OWNER_URL: urlOf('owner'), SERVICE_URL: urlOf('service') };
}

/** Docker and kubectl take a line of an environment file as it is, a shell expands it. */
async function expectSameForAll(file: string): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const { stdout } = await execute('sh', ['-c', `set -a; . "${file}"; env`], { env: {} });
  expect(lines.length).toBeGreaterThan(5);
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(lines));
}

it('the example of an environment file means the same to a shell and to container platforms', async () => {
  await expectSameForAll(path.join(root, 'deploy/ledgerline.env.example'));
});

it('the blocks that are marked lead from roles to a service that answers', { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'dist/ledgerline.js')}" "$@"\n`;
  await writeFile(path.join(folder, 'ledgerline'), program, { mode: 0o755 });
  const gateway = await gatewayServer(() => ({ status: 200, body: {} }));
  let script = unique(runBlocks('sh').join('\n'));
  for (const port of ['8080', '9464']) script = script.replaceAll(port, String(await freePort('127.0.0.1')));
  const env = {
    ...(await createRolesAndDatabase()),
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    DATA_DIR: path.join(folder, 'data'),
    LEDGERLINE_DRAIN_SECONDS: '0',
    TWILIO_ACCOUNT: 'AC1',
    TWILIO_TOKEN: 'secret',
    LEDGERLINE_GATEWAY_URLS: `twilio=${gateway.url}`,
  };
  const ended = await execute('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, timeout: 150_000 }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(ended).toEqual({ code: 0, stdout: expect.stringContaining('✓ Keys: the digest key fits the database') });
  await expectSameForAll(path.join(folder, 'ledgerline.env'));
  const log = await readFile(path.join(folder, 'ledgerline.log'), 'utf8');
  expect(log).toContain('"msg":"stopped"');
});
