import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDigestKey, makeSigningKey } from '../src/auth/keys.ts';
import { checkMode } from '../src/config/check.ts';
import { ConfigError, loadConfig } from '../src/config/load.ts';
import { settings } from '../src/config/settings/index.ts';
import { configReference } from '../src/config/reference.ts';
import { describeRemoved } from '../src/config/removed.ts';
import { findRisks } from '../src/config/risks.ts';
import { readLimits } from '../src/guard/limits.ts';

function problems(env: Record<string, string>): string[] {
  try {
    checkMode(loadConfig(env));
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n');
  }
}

const productionRates = {
  'user-sends': [
    { count: 5, seconds: 600 },
    { count: 10, seconds: 86_400 },
  ],
  'phone-sends': [
    { count: 5, seconds: 600 },
    { count: 10, seconds: 86_400 },
  ],
  'user-failures': [
    { count: 10, seconds: 3600, blockSeconds: 3600 },
    { count: 20, seconds: 86_400, blockSeconds: 86_400 },
  ],
};

describe('settings', () => {
  it('have the contract’s defaults', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: './data',
      mode: 'sandbox',
      codeDigits: 6,
      codeSeconds: 600,
      codeAttempts: 5,
      tokenSeconds: 86_400,
      rates: {
        'user-sends': [{ count: 100, seconds: 600 }],
        'phone-sends': [],
        'user-failures': [{ count: 10, seconds: 3600, blockSeconds: 3600 }],
      },
    });
    expect(loadConfig({ MODE: 'production' })).toMatchObject({
      tokenSeconds: 3600,
      rates: productionRates,
    });
    // A limit that is given leaves the others as the mode has them.
    const given = loadConfig({ MODE: 'production', LEDGERLINE_LIMITS: 'phone-users=off' });
    expect(given.rates).toMatchObject({ ...productionRates, 'phone-users': [] });
  });

  it('an unknown setting stops the start and is named', () => {
    expect(problems({ LEDGERLINE_CODE_DIGIT: '6' })).toEqual([
      'LEDGERLINE_CODE_DIGIT is not a setting. Did you mean LEDGERLINE_CODE_DIGITS?',
    ]);
    expect(problems({ LEDGERLINE_: 'x' })).toEqual(['LEDGERLINE_ is not a setting; docs/config.md lists them.']);
    expect(problems({ SOMETHING_ELSE: 'x' })).toEqual([]);
  });

  it('invalid settings stop the start and are all named', () => {
    expect(
      problems({ PORT: '80a', MODE: 'test', LEDGERLINE_LIMITS: 'user-sends=5', LEDGERLINE_CODE_SECONDS: '1' }),
    ).toEqual([
      'PORT must be an integer from 0 to 65535.',
      'MODE must be sandbox or production.',
      'LEDGERLINE_CODE_SECONDS must be an integer from 30 to 86400.',
      'LEDGERLINE_LIMITS has the limit "5" for user-sends; write it as count/span such as 5/10m.',
    ]);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PUBLIC_URL', 'localhost'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://user:50%@host/db'],
    ['DATABASE_URL', 'postgres://user@%zz/db'],
    ['LEDGERLINE_SMPP_URL', 'smpp://50%@host:2775'],
    ['LEDGERLINE_EVENTS_PROXY', 'http://user:%e4@proxy:3128'],
    ['LEDGERLINE_CORS_ORIGINS', 'https://a.example/path'],
    ['LEDGERLINE_QUIET', 'yes'],
    ['LEDGERLINE_RETENTION_DAYS', 'everything=3'],
    ['LEDGERLINE_RETENTION_DAYS', 'trail=0'],
    ['LEDGERLINE_SPEND', 'week=3'],
    ['LEDGERLINE_SPEND', 'day=much'],
    ['LEDGERLINE_RANGES', 'strict'],
    ['LEDGERLINE_RANGES', '4=20'],
    ['LEDGERLINE_LIMITS', 'user-sends=5/10'],
    ['LEDGERLINE_LIMITS', 'user-sends=0/10m'],
    ['LEDGERLINE_LIMITS', 'user-sends=1/1m,2/2m,3/3m'],
    ['LEDGERLINE_LIMITS', 'phone-users=1/1m,2/2m'],
    ['LEDGERLINE_LIMITS', 'user-failures=10/1h'],
    ['LEDGERLINE_LIMITS', 'user=1/1h'],
    ['LEDGERLINE_DIGEST_KEY', 'short'],
    ['LEDGERLINE_DIGEST_KEY', `${'A'.repeat(44)},short`],
    ['LEDGERLINE_DIGEST_KEY', `${'A'.repeat(44)},${'A'.repeat(44)}`],
    ['LEDGERLINE_SIGNING_KEY', 'x'],
    ['LEDGERLINE_CLIENTS', '{'],
    ['LEDGERLINE_CLIENTS', '{}'],
    ['LEDGERLINE_CLIENTS', '[{"id":"a","secretSha256":"x","scopes":[]}]'],
    ['LEDGERLINE_CLIENTS', '[{"id":"a","secretSha256":"' + '0'.repeat(64) + '","scopes":["root"]}]'],
    ['LEDGERLINE_ALGORITHMS', 'none'],
    ['LEDGERLINE_ALGORITHMS', 'HS256'],
    ['LEDGERLINE_ISSUER', 'http://issuer.example'],
    ['LEDGERLINE_JWKS_URL', 'https://issuer.example/keys'],
    ['LEDGERLINE_GATEWAYS', 'pigeon'],
    ['LEDGERLINE_GATEWAYS', 'inbox,inbox'],
    ['LEDGERLINE_GATEWAYS', 'inbox; Germany=inbox'],
    ['LEDGERLINE_GATEWAYS', 'DE=inbox'],
    ['LEDGERLINE_GATEWAY_URLS', 'pigeon=https://pigeon.example'],
    ['LEDGERLINE_GATEWAY_URLS', 'twilio=http://twilio.example'],
    ['LEDGERLINE_AWS_CREDENTIALS', 'AKID'],
    ['LEDGERLINE_SMPP_URL', 'smpp://id@host:2775?windw=2'],
    ['LEDGERLINE_SMPP_URL', 'smpp://id@host:2775?window=0'],
    ['LEDGERLINE_VONAGE_SIGNATURE_SECRET', 'sha512:'],
    ['LEDGERLINE_INFOBIP_URL', 'http://infobip.example'],
    ['LEDGERLINE_SENDER', 'A very long sender'],
    ['LEDGERLINE_SENDER', 'Acme; pigeon=Acme'],
    ['LEDGERLINE_TEMPLATES', '{"en":"no code"}'],
    ['LEDGERLINE_TEMPLATES', '{"en":"{code} {name}"}'],
    ['LEDGERLINE_DLT', 'IN=1101'],
    ['LEDGERLINE_DLT', '{"India":{"entity":"1101","templates":{}}}'],
    ['LEDGERLINE_DLT', '{"IN":{"entity":1101,"templates":{}}}'],
    ['LEDGERLINE_DLT', '{"IN":{"entity":"1101","templates":{"english":"1107"}}}'],
    ['LEDGERLINE_DLT', '{"IN":{"entity":"1101","templates":{},"sender":"Acme"}}'],
    ['LEDGERLINE_LOCALE', 'en; DE=deutsch!'],
    ['LEDGERLINE_BRAND', 'DE=Acme GmbH'],
    ['LEDGERLINE_TEST_NUMBERS', '+15005550006=123456'],
    ['LEDGERLINE_ANDROID_HASH', 'short'],
    ['LEDGERLINE_WEBHOOK_SECRET', 'whsec_c2hvcnQ='],
  ])('refuse %s=%s', (name, value) => {
    const [problem, ...more] = problems({ [name]: value });
    expect(problem).toContain(name);
    expect(more).toEqual([]);
  });

  it('say what replaced a setting that was removed', () => {
    expect(() => loadConfig({ LEDGERLINE_RANGE_HALVINGS: '2' })).toThrow(
      /LEDGERLINE_RANGE_HALVINGS .*LEDGERLINE_RANGES=/,
    );
    expect(problems({ LEDGERLINE_AWS_SECRET_FILE: '/run/secrets/aws', LEDGERLINE_SENDERS: 'DE=Acme' })).toEqual([
      'LEDGERLINE_AWS_SECRET_FILE is a part of LEDGERLINE_AWS_CREDENTIALS now: key-id:secret, or key-id:secret:session-token.',
      'LEDGERLINE_SENDERS is a part of LEDGERLINE_SENDER now: the value for all first, then the exceptions, such as Acme; US=+15550001.',
    ]);
  });

  it('that were removed are not settings', () => {
    const names = Object.values(settings).map(({ env }) => env);
    expect(names.filter((name) => describeRemoved(name) !== undefined)).toEqual([]);
  });

  it('that were removed are named nowhere', async () => {
    const root = fileURLToPath(new URL('../', import.meta.url));
    const folders = [
      'src',
      'web',
      'client',
      'packages',
      'test',
      'bench',
      'attack',
      'chaos',
      'fuzz',
      'scripts',
      'deploy',
      'docs',
    ];
    const inFolders = folders.map(async (folder) =>
      (await readdir(path.join(root, folder), { recursive: true, withFileTypes: true }))
        .filter(
          (entry) => entry.isFile() && /\.(ts|tsx|js|sql|md|ya?ml|json|env|service|conf|sh)$|\.env/.test(entry.name),
        )
        .map((entry) => path.join(entry.parentPath, entry.name)),
    );
    const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name) =>
      path.join(root, name),
    );
    const own = ['src/config/removed.ts', 'test/config.test.ts'].map((name) => path.join(root, name));
    const found: string[] = [];
    for (const file of [...(await Promise.all(inFolders)).flat(), ...pages]) {
      if (own.includes(file) || file.includes('node_modules')) continue;
      for (const [name] of (await readFile(file, 'utf8')).matchAll(/LEDGERLINE_[A-Z_]+/g))
        if (describeRemoved(name) !== undefined) found.push(`${path.relative(root, file)}: ${name}`);
    }
    expect(found).toEqual([]);
  });

  // 87 when this was written; the rest is for what is added. Before another setting, look for one that nobody needs.
  it('are at most 100', () => {
    expect(Object.keys(settings).length).toBeLessThanOrEqual(100);
  });

  it('scale the budgets of ranges by one word', () => {
    const budgets = (word: string) => readLimits(loadConfig({ LEDGERLINE_RANGES: word })).ranges;
    expect(budgets('careful').unverified['4']).toBe(10);
    expect(budgets('normal')).toMatchObject({
      unverified: { '4': 20, '7': 100 },
      sends: { '4': 100, '5': 200, '6': 500, '7': 2000 },
    });
    expect(budgets('open').unverified.country).toBe(400);
  });

  it('messages never contain a secret', () => {
    expect(
      problems({ LEDGERLINE_DIGEST_KEY: 'hunter2', LEDGERLINE_CLIENTS: 'hunter2', DATABASE_URL: 'hunter2' }).join(),
    ).not.toContain('hunter2');
  });

  it('a secret may come from a file, but not from a file and a variable at once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-config-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'key');
    const key = makeDigestKey();
    await writeFile(file, `${key}\n`);
    expect(loadConfig({ LEDGERLINE_DIGEST_KEY_FILE: file }).digestKeys).toEqual([Buffer.from(key, 'base64')]);
    expect(problems({ LEDGERLINE_DIGEST_KEY_FILE: file, LEDGERLINE_DIGEST_KEY: key })[0]).toMatch(/both set/);
    expect(problems({ LEDGERLINE_DIGEST_KEY_FILE: '/nowhere' })[0]).toMatch(/LEDGERLINE_DIGEST_KEY_FILE/);
    expect(problems({ LEDGERLINE_BRAND_FILE: file })[0]).toMatch(/is not a setting/);
    await writeFile(file, '\n');
    expect(problems({ MODE: 'production', LEDGERLINE_DIGEST_KEY_FILE: file })).toEqual([
      `LEDGERLINE_DIGEST_KEY cannot be read from the file that LEDGERLINE_DIGEST_KEY_FILE names: ${file} is empty.`,
    ]);
  });
});

describe('the sandbox', () => {
  it('listens on another address only if allowed, and the refusal says how', () => {
    expect(problems({ HOST: '0.0.0.0' })[0]).toContain('set LEDGERLINE_SANDBOX_HOSTS to');
    expect(problems({ HOST: '0.0.0.0', LEDGERLINE_SANDBOX_HOSTS: 'localhost' })).toEqual([]);
    for (const HOST of ['localhost', '127.0.0.2', '::1']) expect(problems({ HOST })).toEqual([]);
  });
});

describe('production', () => {
  it('names every missing setting', () => {
    const found = problems({ MODE: 'production' }).join('\n');
    for (const name of [
      'DATABASE_URL',
      'LEDGERLINE_ISSUER',
      'PUBLIC_URL',
      'LEDGERLINE_CLIENTS',
      'LEDGERLINE_SIGNING_KEY',
      'LEDGERLINE_DIGEST_KEY',
      'LEDGERLINE_GATEWAY',
    ]) {
      expect(found).toContain(name);
    }
  });

  it('refuses the sandbox’s client and its gateways', async () => {
    const env = {
      MODE: 'production',
      PUBLIC_URL: 'https://l.example',
      LEDGERLINE_DIGEST_KEY: makeDigestKey(),
      LEDGERLINE_SIGNING_KEY: await makeSigningKey(),
      LEDGERLINE_CLIENTS: JSON.stringify([{ id: 'sandbox', secretSha256: '0'.repeat(64), scopes: ['phone'] }]),
    };
    expect(problems({ ...env, LEDGERLINE_GATEWAYS: 'inbox' }).join()).toMatch(
      /needs a gateway.*names the client sandbox/,
    );
    expect(problems({ ...env, LEDGERLINE_GATEWAYS: 'twilio,console' }).join()).toMatch(/needs a gateway/);
  });
});

describe('values that belong together', () => {
  it('are one setting: the value for all, then the exceptions', () => {
    const env = { LEDGERLINE_BRAND: 'A=B; DE=Acme GmbH', LEDGERLINE_GATEWAYS: 'twilio, vonage ;DE=vonage' };
    expect(loadConfig(env)).toMatchObject({
      brand: { value: 'A=B', exceptions: new Map([['DE', 'Acme GmbH']]) },
      gateways: { value: ['twilio', 'vonage'], exceptions: new Map([['DE', ['vonage']]]) },
    });
  });

  it('are read from one secret: the keys of AWS, how Vonage signs', () => {
    const read = (LEDGERLINE_AWS_CREDENTIALS: string) => loadConfig({ LEDGERLINE_AWS_CREDENTIALS }).awsCredentials;
    expect(read('AKID:a/b+c=')).toEqual({ accessKeyId: 'AKID', secretAccessKey: 'a/b+c=', sessionToken: undefined });
    expect(read('AKID:secret:token==')).toMatchObject({ secretAccessKey: 'secret', sessionToken: 'token==' });
    const signature = (LEDGERLINE_VONAGE_SIGNATURE_SECRET: string) =>
      loadConfig({ LEDGERLINE_VONAGE_SIGNATURE_SECRET }).vonageSignature;
    expect(signature('hunter2')).toEqual({ method: 'sha256', secret: 'hunter2' });
    expect(signature('md5hash:hunter2')).toEqual({ method: 'md5hash', secret: 'hunter2' });
  });
});

describe('gateways', () => {
  it('names every missing setting of every gateway', () => {
    expect(problems({ LEDGERLINE_GATEWAYS: 'twilio,aws; DE=infobip; FR=twilio' })).toEqual([
      'The gateway twilio needs LEDGERLINE_TWILIO_ACCOUNT and LEDGERLINE_TWILIO_TOKEN.',
      'The gateway aws needs LEDGERLINE_AWS_REGION and LEDGERLINE_AWS_CREDENTIALS.',
      'The gateway infobip needs LEDGERLINE_INFOBIP_KEY and LEDGERLINE_INFOBIP_URL.',
    ]);
  });

  it('a gateway lets production start; test numbers must be switched on', async () => {
    const env = {
      MODE: 'production',
      DATABASE_URL: 'postgres://db.example/ledgerline',
      LEDGERLINE_COUNTRIES: '*',
      LEDGERLINE_ISSUER: 'https://issuer.example',
      LEDGERLINE_DIGEST_KEY: makeDigestKey(),
      LEDGERLINE_GATEWAYS: 'twilio',
      LEDGERLINE_TWILIO_ACCOUNT: 'AC0',
      LEDGERLINE_TWILIO_TOKEN: 'token',
    };
    expect(problems(env)).toEqual([]);
    const numbers = { LEDGERLINE_TEST_NUMBERS: '+15005550006=123456@2030-12-31' };
    expect(problems({ ...env, ...numbers })[0]).toContain('LEDGERLINE_TEST_NUMBERS_IN_PRODUCTION=true');
    expect(problems({ ...env, ...numbers, LEDGERLINE_TEST_NUMBERS_IN_PRODUCTION: 'true' })).toEqual([]);
  });
});

describe('settings that carry a risk', () => {
  const india = { LEDGERLINE_COUNTRIES: 'DE,IN' };
  const dlt = (template: string) => JSON.stringify({ IN: { entity: '1101', templates: { [template]: '1107' } } });
  const smpp = (url: string) => ({ LEDGERLINE_GATEWAYS: 'smpp', LEDGERLINE_SMPP_URL: url });
  it.each([
    ['SMPP without TLS', smpp('smpp://user@smsc.example:2775'), ['LEDGERLINE_SMPP_URL']],
    ['SMPP with TLS', smpp('smpps://user@smsc.example:3550'), []],
    ['SMPP on this machine', smpp('smpp://user@127.0.0.1:2775'), []],
    ['SMPP that is not in use', { LEDGERLINE_SMPP_URL: 'smpp://user@smsc.example:2775' }, []],
    [
      'SMPP for one country',
      { LEDGERLINE_GATEWAYS: 'inbox; DE=smpp', LEDGERLINE_SMPP_URL: 'smpp://user@smsc.example:2775' },
      ['LEDGERLINE_SMPP_URL'],
    ],
    ['a plain URL in production', { MODE: 'production', PUBLIC_URL: 'http://verify.example.com' }, ['PUBLIC_URL']],
    ['an https URL in production', { MODE: 'production', PUBLIC_URL: 'https://verify.example.com' }, []],
    [
      'a database that nobody said how to encrypt',
      { MODE: 'production', DATABASE_URL: 'postgres://db/x' },
      ['DATABASE_URL'],
    ],
    [
      'a standby of that kind',
      {
        MODE: 'production',
        DATABASE_URL: 'postgres://db/x?sslmode=require',
        DATABASE_READ_URL: 'postgres://b/x?sslmode=prefer',
      },
      ['DATABASE_READ_URL'],
    ],
    ['a database on this machine', { MODE: 'production', DATABASE_URL: 'postgres://127.0.0.1/x' }, []],
    ['a database on a private network', { MODE: 'production', DATABASE_URL: 'postgres://db/x?sslmode=disable' }, []],
    ['a database of the sandbox', { DATABASE_URL: 'postgres://db/x' }, []],
    ['texts to India without ids', { ...india, LEDGERLINE_GATEWAYS: 'vonage,twilio' }, ['LEDGERLINE_DLT']],
    [
      'texts to every country without ids for India',
      { MODE: 'production', LEDGERLINE_COUNTRIES: '*', LEDGERLINE_GATEWAYS: 'infobip' },
      ['LEDGERLINE_DLT'],
    ],
    ['texts to every country from the sandbox', { LEDGERLINE_GATEWAYS: 'infobip' }, []],
    ['texts to India by a gateway that keeps the ids', { ...india, LEDGERLINE_GATEWAYS: 'twilio' }, []],
    ['texts to India by a gateway of its own', { ...india, LEDGERLINE_GATEWAYS: 'aws; IN=twilio' }, []],
    ['texts to India with ids', { ...india, LEDGERLINE_GATEWAYS: 'aws', LEDGERLINE_DLT: dlt('en') }, []],
    ['ids of another text', { ...india, LEDGERLINE_GATEWAYS: 'aws', LEDGERLINE_DLT: dlt('hi') }, ['LEDGERLINE_DLT']],
    ['a plain URL in the sandbox', { PUBLIC_URL: 'http://sandbox.example.com' }, []],
  ])('are found: %s', (_what, env, expected) => {
    expect(findRisks(loadConfig(env)).map(({ setting }) => setting)).toEqual(expected);
  });
});

describe('docs/config.md', () => {
  it('is generated from the settings; `npm run generate` updates it', async () => {
    expect(await readFile(new URL('../docs/config.md', import.meta.url), 'utf8')).toBe(configReference());
  });

  it('shows no default of a secret', () => {
    for (const { secret, default: value } of Object.values(settings) as { secret?: boolean; default: unknown }[]) {
      if (secret) expect(value).toBeUndefined();
    }
  });
});
