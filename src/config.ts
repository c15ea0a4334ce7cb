/**
 * The one table of settings. Each is read from the environment, checked, and described once:
 * `docs/config.md` is generated from here, and an unknown LEDGERLINE_ name stops the start.
 */
import { readFileSync } from 'node:fs';
import type { FailureRate, Rate } from './phone/limits.ts';

export type Mode = 'sandbox' | 'production';

export interface ClientSetting {
  id: string;
  /** Lower-case hex of the SHA-256 of the generated secret. */
  secretSha256: string;
  scopes: string[];
  mayBindUsers: boolean;
}

interface Kind<T> {
  /** How a person would write the value, for the reference. */
  form: string;
  parse(text: string): T;
}

interface Setting<T> {
  env: string;
  kind: Kind<T>;
  default: T | undefined | ((mode: Mode) => T | undefined);
  /** What the reference says of a default that is computed. */
  defaultText?: string;
  secret?: boolean;
  about: string;
}

class Unreadable extends Error {}

function fail(message: string): never {
  throw new Unreadable(message);
}

const text: Kind<string> = { form: 'text', parse: (value) => value };

function integer(minimum: number, maximum: number): Kind<number> {
  return {
    form: `integer, ${minimum} to ${maximum}`,
    parse(value) {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      return number >= minimum && number <= maximum ? number : fail(`must be an integer from ${minimum} to ${maximum}`);
    },
  };
}

const yesOrNo: Kind<boolean> = {
  form: 'true or false',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : fail('must be true or false')),
};

function oneOf<const T extends string>(...values: T[]): Kind<T> {
  return {
    form: values.join(' or '),
    parse: (value) => values.find((known) => known === value) ?? fail(`must be ${values.join(' or ')}`),
  };
}

const list: Kind<string[]> = {
  form: 'list, separated by commas',
  parse: (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
};

function url(...protocols: string[]): Kind<string> {
  const forms = protocols.map((protocol) => `${protocol}://`).join(' or ');
  return {
    form: `URL, ${forms}`,
    parse(value) {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      if (!parsed || !protocols.includes(parsed.protocol.slice(0, -1))) {
        return fail(`must be a URL that starts with ${forms}`);
      }
      return value.replace(/\/+$/, '');
    },
  };
}

const origins: Kind<string[]> = {
  form: 'list of origins, separated by commas',
  parse: (value) =>
    list.parse(value).map((origin) => {
      const parsed = URL.canParse(origin) ? new URL(origin) : undefined;
      return parsed && parsed.origin === origin
        ? origin
        : fail(`must list origins such as https://app.example.com; ${origin} is none`);
    }),
};

export const pageNames = ['sandbox', 'wallet'] as const;
export type PageName = (typeof pageNames)[number];

const pages: Kind<PageName[]> = {
  form: `list of ${pageNames.join(', ')}`,
  parse: (value) =>
    list
      .parse(value)
      .map(
        (name) =>
          pageNames.find((known) => known === name) ??
          fail(`has the page "${name}"; there are ${pageNames.join(', ')}`),
      ),
};

const spans: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86400 };

function spanSeconds(span: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(span);
  const seconds = match ? Number(match[1]) * (spans[match[2]!] ?? 0) : 0;
  return seconds > 0 ? seconds : fail(`has the span "${span}"; write one such as 90s, 10m, 1h or 1d`);
}

/** Two windows are what the statements that count take as parameters. */
function rates<T>(form: string, parts: number, make: (count: number, spans: number[]) => T): Kind<T[]> {
  return {
    form: `${form}, one or two, separated by commas; or off`,
    parse(value) {
      if (value === 'off') return [];
      const items = list.parse(value);
      if (items.length < 1 || items.length > 2) return fail('must hold one or two limits, or off');
      return items.map((item) => {
        const [count, ...rest] = item.split('/');
        if (!/^[1-9]\d{0,3}$/.test(count ?? '') || rest.length !== parts) {
          return fail(`has the limit "${item}"; write it as ${form}`);
        }
        return make(Number(count), rest.map(spanSeconds));
      });
    },
  };
}

const sendRates: Kind<Rate[]> = rates('count/span such as 5/10m', 1, (count, [seconds]) => ({
  count,
  seconds: seconds!,
}));

const failureRates: Kind<FailureRate[]> = rates(
  'count/span/block such as 10/1h/1h',
  2,
  (count, [seconds, blockSeconds]) => ({ count, seconds: seconds!, blockSeconds: blockSeconds! }),
);

const base64Key: Kind<Buffer> = {
  form: 'base64 of at least 32 random bytes',
  parse(value) {
    const key = Buffer.from(value, 'base64');
    return key.length >= 32 && /^[A-Za-z0-9+/_-]+=*$/.test(value)
      ? key
      : fail('must be the base64 of at least 32 random bytes; `ledgerline keys` makes one');
  },
};

const pem: Kind<string> = {
  form: 'PEM, PKCS #8 RSA private keys: the first signs, all are published',
  parse: (value) =>
    /-----BEGIN PRIVATE KEY-----/.test(value)
      ? value.replaceAll('\\n', '\n')
      : fail('must be PEM with at least one BEGIN PRIVATE KEY; `ledgerline keys` makes one'),
};

export const scopes = [
  'users',
  'phone',
  'transactions:read',
  'transactions:write',
  'operator:read',
  'operator:write',
] as const;
export type Scope = (typeof scopes)[number];

const clients: Kind<ClientSetting[]> = {
  form: 'JSON list of {id, secretSha256, scopes, mayBindUsers}',
  parse(value) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(value);
    } catch {
      return fail('must be JSON');
    }
    if (!Array.isArray(parsed)) return fail('must be a JSON list of clients');
    return parsed.map((entry: unknown, index) => client(entry, `client ${index + 1}`));
  },
};

function client(entry: unknown, which: string): ClientSetting {
  const { id, secretSha256, scopes: granted, mayBindUsers = false, ...rest } = Object(entry);
  const [unknown] = Object.keys(rest);
  if (unknown) return fail(`${which} has the unknown member ${unknown}`);
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,100}$/.test(id)) return fail(`${which} needs an id`);
  if (typeof secretSha256 !== 'string' || !/^[0-9a-f]{64}$/.test(secretSha256)) {
    return fail(`${which} needs secretSha256: 64 lower-case hex digits; \`ledgerline keys\` makes one`);
  }
  const known: readonly string[] = scopes;
  if (!Array.isArray(granted) || !granted.every((scope) => known.includes(scope))) {
    return fail(`${which} needs scopes, each one of ${scopes.join(', ')}`);
  }
  if (typeof mayBindUsers !== 'boolean') return fail(`${which}: mayBindUsers must be true or false`);
  return { id, secretSha256, scopes: granted, mayBindUsers };
}

const logLevels = oneOf('debug', 'info', 'warn', 'error', 'silent');

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

const byMode =
  <T>(sandbox: T, production: T) =>
  (mode: Mode): T =>
    mode === 'sandbox' ? sandbox : production;

export const settings = {
  host: setting({
    env: 'HOST',
    kind: text,
    default: byMode('127.0.0.1', '0.0.0.0'),
    defaultText: '127.0.0.1; 0.0.0.0 in production',
    about: 'Address to listen on.',
  }),
  port: setting({
    env: 'PORT',
    kind: integer(0, 65535),
    default: 8080,
    about: 'Port to listen on; 0 takes any free one.',
  }),
  dataDir: setting({
    env: 'DATA_DIR',
    kind: text,
    default: './data',
    about: 'Folder of the embedded PostgreSQL and of the keys the sandbox makes for itself.',
  }),
  databaseUrl: setting<string | undefined>({
    env: 'DATABASE_URL',
    kind: url('postgres', 'postgresql'),
    default: undefined,
    defaultText: 'none: the embedded PostgreSQL',
    secret: true,
    about: 'PostgreSQL 15 or newer to use instead of the embedded one.',
  }),
  mode: setting<Mode>({
    env: 'MODE',
    kind: oneOf('sandbox', 'production'),
    default: 'sandbox',
    about: 'The sandbox has an inbox instead of a gateway, a clock to move and a known client.',
  }),
  publicUrl: setting<string | undefined>({
    env: 'PUBLIC_URL',
    kind: url('http', 'https'),
    default: undefined,
    defaultText: 'http://HOST:PORT',
    about: 'Where callers reach the service; it is the issuer of the embedded issuer’s tokens.',
  }),
  sandboxRemote: setting({
    env: 'LEDGERLINE_SANDBOX_REMOTE',
    kind: yesOrNo,
    default: false,
    about: 'Lets the sandbox listen on an address other than loopback.',
  }),
  sandboxHosts: setting<string[]>({
    env: 'LEDGERLINE_SANDBOX_HOSTS',
    kind: list,
    default: [],
    about: 'Host names, besides loopback and PUBLIC_URL, under which the sandbox may be called.',
  }),
  corsOrigins: setting<string[]>({
    env: 'LEDGERLINE_CORS_ORIGINS',
    kind: origins,
    default: [],
    about: 'Origins of web pages that may call the API.',
  }),
  pages: setting<PageName[]>({
    env: 'LEDGERLINE_PAGES',
    kind: pages,
    default: byMode<PageName[]>([...pageNames], []),
    defaultText: 'all of them; none in production',
    about: 'Pages that are served. The page `sandbox`, at /, is for the sandbox only.',
  }),
  issuer: setting<string | undefined>({
    env: 'LEDGERLINE_ISSUER',
    kind: url('https', 'http'),
    default: undefined,
    defaultText: 'none: the embedded issuer',
    about: 'Token issuer to trust, exactly as in the tokens’ `iss`. http only on loopback.',
  }),
  jwksUrl: setting<string | undefined>({
    env: 'LEDGERLINE_JWKS_URL',
    kind: url('https', 'http'),
    default: undefined,
    defaultText: 'found by the issuer’s discovery document',
    about: 'Where the issuer’s keys are.',
  }),
  jwksRefreshSeconds: setting({
    env: 'LEDGERLINE_JWKS_REFRESH_SECONDS',
    kind: integer(1, 86400),
    default: 300,
    about: 'Age after which the issuer’s keys are read again; a key that left no longer counts.',
  }),
  jwksCooldownSeconds: setting({
    env: 'LEDGERLINE_JWKS_COOLDOWN_SECONDS',
    kind: integer(1, 3600),
    default: 30,
    about: 'Least time between two reads of the keys, however many tokens name an unknown key.',
  }),
  audience: setting({
    env: 'LEDGERLINE_AUDIENCE',
    kind: text,
    default: 'ledgerline',
    about: 'The `aud` that a token must carry.',
  }),
  algorithms: setting<string[]>({
    env: 'LEDGERLINE_ALGORITHMS',
    kind: {
      form: 'list of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA',
      parse: (value) =>
        list
          .parse(value)
          .map((name) =>
            /^([RPE]S(256|384|512)|EdDSA)$/.test(name)
              ? name
              : fail(`has the algorithm "${name}"; only asymmetric signatures are allowed`),
          ),
    },
    default: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    about: 'Signature algorithms accepted from the issuer.',
  }),
  clockSkewSeconds: setting({
    env: 'LEDGERLINE_CLOCK_SKEW_SECONDS',
    kind: integer(0, 600),
    default: 60,
    about: 'How far an external issuer’s clock may be off. The embedded issuer shares ours.',
  }),
  userClaim: setting({
    env: 'LEDGERLINE_USER_CLAIM',
    kind: text,
    default: 'user_id',
    about: 'Claim that binds a token to one user.',
  }),
  clients: setting<ClientSetting[] | undefined>({
    env: 'LEDGERLINE_CLIENTS',
    kind: clients,
    default: undefined,
    defaultText: 'in the sandbox the client `sandbox` with the secret `sandbox`',
    secret: true,
    about: 'Clients of the embedded issuer.',
  }),
  signingKey: setting<string | undefined>({
    env: 'LEDGERLINE_SIGNING_KEY',
    kind: pem,
    default: undefined,
    defaultText: 'made in DATA_DIR in the sandbox',
    secret: true,
    about: 'Keys of the embedded issuer. Every node gets the same.',
  }),
  digestKey: setting<Buffer | undefined>({
    env: 'LEDGERLINE_DIGEST_KEY',
    kind: base64Key,
    default: undefined,
    defaultText: 'made in DATA_DIR in the sandbox',
    secret: true,
    about: 'Key of the digests that codes are stored as, and of page tokens. Every node gets the same.',
  }),
  tokenSeconds: setting({
    env: 'LEDGERLINE_TOKEN_SECONDS',
    kind: integer(60, 2_592_000),
    default: byMode(86400, 3600),
    defaultText: '86400; 3600 in production',
    about: 'How long a token of the embedded issuer lives.',
  }),
  gateway: setting<'inbox' | 'console' | undefined>({
    env: 'LEDGERLINE_GATEWAY',
    kind: oneOf('inbox', 'console'),
    default: byMode<'inbox' | undefined>('inbox', undefined),
    defaultText: 'inbox in the sandbox',
    about: 'Where messages go.',
  }),
  brand: setting({
    env: 'LEDGERLINE_BRAND',
    kind: text,
    default: 'Ledgerline',
    about: 'Name that stands in the messages.',
  }),
  codeDigits: setting({
    env: 'LEDGERLINE_CODE_DIGITS',
    kind: integer(4, 10),
    default: 6,
    about: 'Digits of a code.',
  }),
  codeSeconds: setting({
    env: 'LEDGERLINE_CODE_SECONDS',
    kind: integer(30, 86400),
    default: 600,
    about: 'How long a code is good.',
  }),
  codeAttempts: setting({
    env: 'LEDGERLINE_CODE_ATTEMPTS',
    kind: integer(1, 100),
    default: 5,
    about: 'Attempts at one code; the last wrong one ends it.',
  }),
  userSends: setting<Rate[]>({
    env: 'LEDGERLINE_USER_SENDS',
    kind: sendRates,
    default: byMode(sendRates.parse('100/10m'), sendRates.parse('5/10m,10/1d')),
    defaultText: '100/10m; 5/10m,10/1d in production',
    about: 'Codes one user may ask for.',
  }),
  phoneSends: setting<Rate[]>({
    env: 'LEDGERLINE_PHONE_SENDS',
    kind: sendRates,
    default: byMode(sendRates.parse('off'), sendRates.parse('5/10m,10/1d')),
    defaultText: 'off; 5/10m,10/1d in production',
    about: 'Codes that may be sent to one phone.',
  }),
  userFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_USER_FAILURES',
    kind: failureRates,
    default: byMode(failureRates.parse('10/1h/1h'), failureRates.parse('10/1h/1h,20/1d/1d')),
    defaultText: '10/1h/1h; 10/1h/1h,20/1d/1d in production',
    about: 'Failed verifications of one user, and how long the next are refused.',
  }),
  logLevel: setting({
    env: 'LEDGERLINE_LOG_LEVEL',
    kind: logLevels,
    default: 'info',
    about: 'Least level of what is logged.',
  }),
  logFormat: setting<'json' | 'text' | undefined>({
    env: 'LEDGERLINE_LOG_FORMAT',
    kind: oneOf('json', 'text'),
    default: undefined,
    defaultText: 'text on a terminal, else json',
    about: 'How log lines are written.',
  }),
  metricsPort: setting<number | undefined>({
    env: 'LEDGERLINE_METRICS_PORT',
    kind: integer(0, 65535),
    default: undefined,
    defaultText: 'none: on PORT in the sandbox, off in production',
    about: 'Port of its own for /metrics.',
  }),
  databaseConnections: setting({
    env: 'LEDGERLINE_DATABASE_CONNECTIONS',
    kind: integer(3, 200),
    default: 16,
    about:
      'Connections to the database: an eighth for short reads, half for short writes, the rest for what may take long.',
  }),
  statementSeconds: setting({
    env: 'LEDGERLINE_STATEMENT_SECONDS',
    kind: integer(1, 600),
    default: 5,
    about: 'A request’s statement that takes longer is ended, and the caller gets 503.',
  }),
  migrate: setting<'auto' | 'check'>({
    env: 'LEDGERLINE_MIGRATE',
    kind: oneOf('auto', 'check'),
    default: byMode<'auto' | 'check'>('auto', 'check'),
    defaultText: 'auto; check in production',
    about: 'Whether the start brings the schema up to date or only checks that it is.',
  }),
  stopSeconds: setting({
    env: 'LEDGERLINE_STOP_SECONDS',
    kind: integer(1, 300),
    default: 20,
    about: 'How long a stop waits for requests in flight.',
  }),
};

type Value<S> = S extends Setting<infer T> ? T : never;
export type Config = { -readonly [K in keyof typeof settings]: Value<(typeof settings)[K]> };

export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

const contractNames = new Set<string>(Object.values(settings).map(({ env }) => env));

/** A secret may stand in a file instead, as container platforms hand them out. */
const fileSuffix = '_FILE';

export function loadConfig(env: Record<string, string | undefined>): Config {
  const problems = unknownNames(env);
  const mode = env.MODE === 'production' ? 'production' : 'sandbox';
  const config: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries<Setting<unknown>>(settings)) {
    try {
      config[name] = readSetting(definition, env, mode);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push(`${definition.env} ${error.message}.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config;
}

function readSetting(
  { env: name, kind, default: fallback, secret }: Setting<unknown>,
  env: Record<string, string | undefined>,
  mode: Mode,
): unknown {
  let value = env[name];
  const file = secret ? env[name + fileSuffix] : undefined;
  if (file) {
    if (value) fail(`and ${name}${fileSuffix} are both set; keep one`);
    value = readSecretFile(name + fileSuffix, file);
  }
  if (value !== undefined && value !== '') return kind.parse(value);
  return typeof fallback === 'function' ? fallback(mode) : fallback;
}

function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    return fail(`cannot be read from the file that ${name} names: ${(error as Error).message}`);
  }
}

function unknownNames(env: Record<string, string | undefined>): string[] {
  const known = new Set(contractNames);
  for (const { env: name, secret } of Object.values<Setting<unknown>>(settings)) {
    if (secret) known.add(name + fileSuffix);
  }
  return Object.keys(env)
    .filter((name) => name.startsWith('LEDGERLINE_') && !known.has(name))
    .map((name) => `${name} is not a setting${nearest(name, [...known])}`);
}

function nearest(name: string, known: string[]): string {
  const shared = (other: string) => {
    let length = 0;
    while (length < name.length && name[length] === other[length]) length += 1;
    return length;
  };
  const best = known.reduce((a, b) => (shared(b) > shared(a) ? b : a));
  return shared(best) > 'LEDGERLINE_'.length ? `. Did you mean ${best}?` : '; docs/config.md lists them.';
}

const loopback = new Set(['localhost', '::1', '[::1]']);

export function isLoopback(host: string): boolean {
  return loopback.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** What a mode cannot do without. Told together, so that nobody mends one by one. */
export function checkMode(config: Config): void {
  const problems = config.mode === 'production' ? missingInProduction(config) : tooOpen(config);
  for (const [name, value] of [
    ['LEDGERLINE_ISSUER', config.issuer],
    ['LEDGERLINE_JWKS_URL', config.jwksUrl],
  ]) {
    if (value?.startsWith('http:') && !isLoopback(new URL(value).hostname)) {
      problems.push(`${name} must be https; http is for loopback only.`);
    }
  }
  if (config.jwksUrl && !config.issuer) problems.push('LEDGERLINE_JWKS_URL needs LEDGERLINE_ISSUER.');
  if (problems.length > 0) throw new ConfigError(problems);
}

function tooOpen({ host, sandboxRemote }: Config): string[] {
  if (isLoopback(host) || sandboxRemote) return [];
  return [
    `The sandbox hands out codes and tokens to anyone who can reach it, so it listens on loopback only, not on ${host}. ` +
      'Set LEDGERLINE_SANDBOX_REMOTE=true if that is what you want, or MODE=production.',
  ];
}

function missingInProduction(config: Config): string[] {
  const problems: string[] = [];
  if (!config.issuer) {
    const needed = [
      ['PUBLIC_URL', config.publicUrl],
      ['LEDGERLINE_CLIENTS', config.clients],
      ['LEDGERLINE_SIGNING_KEY', config.signingKey],
    ].flatMap(([name, value]) => (value ? [] : [name]));
    if (needed.length > 0) {
      problems.push(
        `Production needs a token issuer: LEDGERLINE_ISSUER for your own, or ${needed.join(', ')} for the embedded one.`,
      );
    }
  }
  if (config.pages.includes('sandbox')) {
    problems.push('LEDGERLINE_PAGES names the page sandbox, which needs the sandbox.');
  }
  if (!config.digestKey) {
    problems.push('Production needs LEDGERLINE_DIGEST_KEY; `ledgerline keys` makes one.');
  }
  if (!config.gateway || config.gateway === 'inbox' || config.gateway === 'console') {
    problems.push('Production needs a gateway that sends: set LEDGERLINE_GATEWAY.');
  }
  if (config.clients?.some(({ id }) => id === 'sandbox')) {
    problems.push('LEDGERLINE_CLIENTS names the client sandbox, which production refuses.');
  }
  return problems;
}
