import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { findPackage } from '../../src/db/embedded/binaries.ts';
import { refusedStart } from '../harness/command.ts';
import { dataFolder, preparedDataFolder, run, startProcess } from '../harness/process.ts';
import { cloneDatabase } from '../harness/service.ts';

/** One clear sentence on standard error, and nothing else: no stack, no second guess. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const { code, stderr } = await run(['serve'], settings);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr.trim();
}

// With `refusal`: each kind of error, and what depends on the process. The other sentences need none.
describe('a start that cannot work says in a sentence why, and what to do', () => {
  it('when another Ledgerline uses the directory', async () => {
    const dataDir = await dataFolder();
    const first = await startProcess(dataDir);
    expect(await refusal({ DATA_DIR: dataDir })).toBe(
      `Another Ledgerline (process ${first.child.pid}) is using ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
    );
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
    // What it printed: each step of the start, and where the pages are.
    expect(first.output.stdout).toMatch(
      / {2}(Making a|Starting the) database in .* …\n {2}Bringing its tables up to date …\n {2}Starting the service …\n/,
    );
    expect(first.output.stdout).toContain(` ${first.url}/console\n`);
    await first.end('SIGTERM');
  });

  it('when the port is taken', async () => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const dataDir = await dataFolder();
    expect(await refusal({ PORT: String(port), DATA_DIR: dataDir })).toBe(
      `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or set PORT to another port.`,
    );
    // It was said before anything was made.
    expect(existsSync(dataDir)).toBe(false);
  });

  it('when the address is none of this machine', async () => {
    expect(
      await refusedStart({
        HOST: '192.0.2.1',
        LEDGERLINE_SANDBOX_HOSTS: 'localhost',
        PORT: '4711',
        DATA_DIR: await preparedDataFolder(),
      }),
    ).toBe('This machine has no address 192.0.2.1. Set HOST to one it has, such as 127.0.0.1.');
  });

  it('when the directory cannot be written to', async () => {
    const dataDir = await dataFolder();
    await mkdir(dataDir, { mode: 0o500 });
    // Root may write anywhere but where the kernel itself refuses it.
    const closed = process.getuid?.() === 0 ? '/sys/ledgerline' : path.join(dataDir, 'inside');
    expect(await refusedStart({ DATA_DIR: closed })).toMatch(
      new RegExp(
        `^${closed} cannot be written to\\. Set DATA_DIR to a folder that this user owns, or DATABASE_URL to a PostgreSQL\\.`,
      ),
    );
    await chmod(dataDir, 0o700);
  });

  it('when it is not a directory', async () => {
    const dataDir = await dataFolder();
    await writeFile(dataDir, '');
    expect(await refusedStart({ DATA_DIR: dataDir })).toBe(
      `${dataDir} is not a folder. Set DATA_DIR to one, or to a name that is free.`,
    );
  });

  it('when the disk is full', async (context) => {
    const dataDir = await dataFolder();
    await mkdir(dataDir);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', dataDir], { stdio: 'ignore' });
    } catch {
      context.skip('a full disk can only be made by a user who may mount one');
    }
    onTestFinished(() => void execFileSync('umount', [dataDir]));
    expect(await refusedStart({ DATA_DIR: dataDir })).toBe(
      `There is no space left for ${dataDir}. Free some, or set DATA_DIR to another disk.`,
    );
  });

  it('when the directory was made by another major version', async () => {
    const dataDir = await dataFolder();
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
    await writeFile(path.join(dataDir, 'postgres/PG_VERSION'), '14\n');
    expect(await refusedStart({ DATA_DIR: dataDir })).toMatch(
      /^\S+ was made by PostgreSQL 14, and this Ledgerline brings PostgreSQL 18\. Start the Ledgerline that made it, /,
    );
  });

  it('when there is no embedded PostgreSQL for the platform', async () => {
    await expect(findPackage('sunos', 'sparc')).rejects.toThrow(
      /^There is no embedded PostgreSQL for sunos-sparc \(only for .*\)\. Set DATABASE_URL to a PostgreSQL 15 or newer\.$/,
    );
  });

  it('when the database cannot be reached, or is no longer the sandbox’s', async () => {
    expect(await refusal({ DATABASE_URL: 'postgres://x:hunter2@127.0.0.1:1/none', DATA_DIR: await dataFolder() })).toBe(
      'The database none at 127.0.0.1:1 cannot be used: nothing answers there (ECONNREFUSED). Check host and port in DATABASE_URL and that the server runs.',
    );
    const wrong = new URL(inject('clusterUrl'));
    wrong.password = 'hunter2';
    expect(await refusedStart({ DATABASE_URL: wrong.href, DATA_DIR: await dataFolder() })).toMatch(
      /cannot be used: it refuses the login: .* \(28P01\)/,
    );
  });

  it('when the database has served production', async () => {
    const database = await cloneDatabase();
    onTestFinished(database.drop);
    const { default: postgres } = await import('postgres');
    const sql = postgres(database.url, { max: 1 });
    await sql`update ledgerline.installation set served_production = true`;
    expect(await refusedStart({ DATABASE_URL: database.url, DATA_DIR: await dataFolder() })).toMatch(
      /^This database has served production/,
    );
    await sql`update ledgerline.installation set served_production = false`;
    await sql`insert into ledgerline.migrations (name, kind) values ('9999_future.sql', 'contract')`;
    await sql.end();
    expect(await refusedStart({ DATABASE_URL: database.url, DATA_DIR: await dataFolder() })).toBe(
      'The database has been migrated by a newer Ledgerline (9999_future.sql). Start that one.',
    );
  });

  it('when settings are unknown or wrong, or production lacks something', async () => {
    expect(await refusal({ LEDGERLINE_NOPE: '1', PORT: 'x' })).toBe(
      'LEDGERLINE_NOPE is not a setting; docs/config.md lists them.\nPORT must be an integer from 0 to 65535.',
    );
    expect(await refusedStart({ HOST: '0.0.0.0' })).toMatch(/set LEDGERLINE_SANDBOX_HOSTS to/);
    expect(await refusedStart({ MODE: 'production' })).toMatch(
      /LEDGERLINE_ISSUER[^]*LEDGERLINE_DIGEST_KEY[^]*LEDGERLINE_GATEWAY/,
    );
  });
});
