/** The checks of `ledgerline doctor`, in this process: what they find, and that a start finds the same. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import postgres from 'postgres';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { makeDigestKey } from '../src/auth/keys.ts';
import { checkConnections } from '../src/cli/doctor/check-connections.ts';
import { checkDatabase } from '../src/cli/doctor/check-database.ts';
import { checkIssuer } from '../src/cli/doctor/check-issuer.ts';
import { checkDisk } from '../src/cli/doctor/check-machine.ts';
import { doctor } from '../src/cli/doctor/doctor.ts';
import { describeFinding, type Finding } from '../src/cli/doctor/finding.ts';
import { loadConfig } from '../src/config/load.ts';
import { openConnection } from '../src/db/sessions/pool.ts';
import { roleForTest } from './harness/database/role.ts';
import { cloneDatabase, startService } from './harness/service.ts';

/** The lines that are not ✓. */
const complaints = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(describeFinding);

/** Why a service does not start. */
const refusalOf = (settings: Record<string, string>): Promise<string> =>
  startService(settings).then(
    async (service) => {
      await service.stop();
      return 'started';
    },
    (error: Error) => error.message,
  );

/** A copy of the template, and statements that were run in it. */
async function databaseWith(...statements: string[]): Promise<string> {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  for (const statement of statements) await sql.unsafe(statement);
  await sql.end();
  return database.url;
}

describe('the signing key', () => {
  const pemOf = ({ privateKey }: { privateKey: KeyObject }) =>
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const ec = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  const short = pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }));

  it.each([
    ['of an elliptic curve', () => ec, 'must be an RSA key of 2048 bits or more.'],
    ['with 1024 bits', () => short, 'must be an RSA key of 2048 bits or more.'],
    [
      'that is cut off',
      () => inject('signingKey').slice(0, 500),
      'must hold whole blocks of PRIVATE KEY, and no others.',
    ],
    ['after a good one', () => `${inject('signingKey')},${short}`, 'must be an RSA key of 2048 bits or more.'],
    ['twice', () => `${inject('signingKey')},${inject('signingKey')}`, 'names a key twice.'],
  ])('%s is refused by doctor as by a start', async (_what, key, reason) => {
    const settings = { LEDGERLINE_SIGNING_KEY: key() };
    const message = `LEDGERLINE_SIGNING_KEY ${reason}`;
    expect(complaints(await checkIssuer(loadConfig(settings), {}))).toEqual([
      `✗ Signing key: ${message} \`ledgerline keys\` makes one.`,
    ]);
    expect(await refusalOf(settings)).toContain(message);
  });

  it('that can be used is named', async () => {
    const config = loadConfig({ LEDGERLINE_SIGNING_KEY: inject('signingKey') });
    expect((await checkIssuer(config, {})).map(describeFinding)).toEqual([
      expect.stringMatching(/^✓ Signing key: [\w-]{43} signs tokens$/),
    ]);
  });
});

describe('the folder for temporary files', () => {
  it.each([
    ['does not exist', '/nowhere', 'ENOENT'],
    ['is a file', fileURLToPath(import.meta.url), 'ENOTDIR'],
  ])('is a problem if it %s', async (_what, folder, code) => {
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(complaints(await checkDisk(loadConfig({})))).toEqual([
      `✗ Disk: ${folder}, for temporary files, cannot be written to (${code}). ` +
        'Set TMPDIR to a folder that exists and that this user may write to.',
    ]);
  });
});

it.each([{ erased: 'erased.txt' }, { idsAfter: '5' }])('%o is refused without --restored', async (options) => {
  await expect(doctor(options)).rejects.toThrow('are for a restored database: add --restored.');
});

describe('a database of the other mode', () => {
  it('is all that is said about it, since advice about its rights and keys would be wrong', async () => {
    const url = await databaseWith(
      'update ledgerline.installation set served_sandbox = true',
      "insert into ledgerline.digest_keys values ('0123456789abcdef', 1, true, '')",
    );
    const config = loadConfig({ MODE: 'production', DATABASE_URL: url, LEDGERLINE_DIGEST_KEY: makeDigestKey() });
    expect(complaints(await checkDatabase(config))).toEqual([
      expect.stringMatching(/^✗ Mode: This database has served the sandbox: .* Set DATABASE_URL to a new database/),
    ]);
  });

  it('is found if the sandbox is given that of production', async () => {
    const url = await databaseWith('update ledgerline.installation set served_production = true');
    expect(complaints(await checkDatabase(loadConfig({ DATABASE_URL: url })))).toEqual([
      expect.stringMatching(/^✗ Mode: This database has served production, and the sandbox would open it to anyone\./),
    ]);
  });
});

describe('the rights of the role', () => {
  /** A role with all rights, but for those that the statements take away again. */
  async function urlOfRole(...revokes: string[]): Promise<string> {
    const { name: role, urlOf } = await roleForTest();
    return urlOf(
      await databaseWith(
        `grant usage on schema ledgerline to ${role}`,
        `grant all on all tables in schema ledgerline to ${role}`,
        `grant all on all sequences in schema ledgerline to ${role}`,
        ...revokes.map((revoke) => revoke.replace('ROLE', role)),
      ),
    );
  }

  it.each([
    [
      'sequences',
      'revoke usage, update on all sequences in schema ledgerline from ROLE',
      /lacks USAGE on the sequence .*UPDATE on the sequence user_ids/,
    ],
    [
      'functions',
      'revoke execute on function ledgerline.event_id from public',
      /lacks EXECUTE on the function event_id\. Let the owner of the schema run/,
    ],
  ])('include those on %s, for doctor and a start', async (_what, revoke, lacking) => {
    const settings = { DATABASE_URL: await urlOfRole(revoke), LEDGERLINE_MIGRATE: 'check' };
    const [line, ...others] = complaints(await checkDatabase(loadConfig(settings)));
    expect([line, others]).toEqual([expect.stringMatching(/^✗ Rights: /), []]);
    expect(line).toMatch(lacking);
    expect(await refusalOf(settings)).toMatch(lacking);
  });

  it('are enough if the role has them, or owns everything', async () => {
    for (const url of [await urlOfRole(), await databaseWith()]) {
      expect(complaints(await checkDatabase(loadConfig({ DATABASE_URL: url })))).toEqual([]);
    }
  });
});

it('counts the connections that this node gets, if the server gives fewer than it allows', async () => {
  const role = await roleForTest();
  const url = await databaseWith(`alter role ${role.name} connection limit 5`);
  const sql = openConnection(url, 5);
  onTestFinished(() => sql.end({ timeout: 1 }));
  expect(describeFinding(await checkConnections(sql, role.urlOf(url), 12))).toMatch(
    /^! Connections: only 5 of the 12 that this node may open could be opened in addition to those in use \(53300\)\./,
  );
});
