/**
 * The one table of settings. Each is read from the environment, checked, and described once:
 * `docs/config.md` is generated from here, and an unknown LEDGERLINE_ name stops the start.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { ruleModes, ruleNames, type PrefixLimit, type RuleMode } from '../guard/rules.ts';
import type { FailureRate, Rate } from '../guard/windows.ts';
import { parsePhoneNumber } from '../phone/phone-number.ts';
import type { TestNumber } from '../phone/test-numbers.ts';
import { vonageSignatures, type VonageSignature } from '../sms/gateways/vonage.ts';

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

export const pageNames = ['sandbox', 'wallet', 'console'] as const;
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

/** A rule that has one window only. */
function one<T>(kind: Kind<T[]>): Kind<T[]> {
  return {
    form: kind.form.replace(', one or two, separated by commas', ''),
    parse(value) {
      const limits = kind.parse(value);
      return limits.length > 1 ? fail('must hold one limit, or off') : limits;
    },
  };
}

const prefixLimit: Kind<PrefixLimit | undefined> = {
  form: 'count/span/percent such as 20/1h/20; or off',
  parse(value) {
    if (value === 'off') return undefined;
    const [, count, span, percent] = /^([1-9]\d{0,5})\/(\w+)\/(\d{1,2}|100)$/.exec(value) ?? [];
    if (!span) return fail(`has the limit "${value}"; write it as 20/1h/20`);
    return { count: Number(count), seconds: spanSeconds(span), percent: Number(percent) };
  },
};

const destination = /^(\*|[A-Z]{2}|\+[1-9]\d{0,14})$/;

/** Values by country, by leading digits, or for the rest. */
function table(example: string, number: (text: string) => number): Kind<ReadonlyMap<string, number>> {
  return {
    form: `list such as ${example}; or off`,
    parse: (value) =>
      new Map(
        (value === 'off' ? [] : list.parse(value)).map((item): [string, number] => {
          const [key = '', amount = ''] = item.split('=');
          if (!destination.test(key))
            return fail(`names "${key}"; write a country such as GB, digits such as +4470, or *`);
          return [key, number(amount)];
        }),
      ),
  };
}

const wholeNumber = (text: string) =>
  /^\d{1,9}$/.test(text) ? Number(text) : fail(`has the number "${text}"; write a whole one`);

/** Money is kept in ten-thousandths, so that sums are exact. */
const moneyOf = (text: string) =>
  /^\d{1,9}(\.\d{1,4})?$/.test(text)
    ? Math.round(Number(text) * 10_000)
    : fail(`has the amount "${text}"; write one such as 0.05`);

const money: Kind<number | undefined> = {
  form: 'amount such as 0.05; or off',
  parse: (value) => (value === 'off' ? undefined : moneyOf(value)),
};

const countries: Kind<string[]> = {
  form: 'list of ISO 3166 codes such as DE,GB; or * for all',
  parse: (value) =>
    list.parse(value).map((code) => (/^(\*|[A-Z]{2})$/.test(code) ? code : fail(`has the country "${code}"`))),
};

const numberTypes = [
  'premium-rate',
  'shared-cost',
  'toll-free',
  'pager',
  'voicemail',
  'personal-number',
  'uan',
  'voip',
  'fixed-line',
];

/** As libphonenumber spells them. */
const refusedTypes: Kind<string[]> = {
  form: `list of ${numberTypes.join(', ')}; or off`,
  parse: (value) =>
    (value === 'off' ? [] : list.parse(value)).map((type) =>
      numberTypes.includes(type) ? type.toUpperCase().replaceAll('-', '_') : fail(`has the number type "${type}"`),
    ),
};

/** Modes by rule; `*` for all that are not named. */
const rules: Kind<ReadonlyMap<string, RuleMode>> = {
  form: 'list such as prefix=shadow,country=off, with * for all the others; modes are off, shadow, enforce',
  parse: (value) =>
    new Map(
      list.parse(value).map((item): [string, RuleMode] => {
        const [name = '', word = ''] = item.split('=');
        if (name !== '*' && !ruleNames.some((known) => known === name)) return fail(`names the unknown rule "${name}"`);
        const mode = ruleModes.find((known) => known === word);
        return [name, mode ?? fail(`has the mode "${word}" for ${name}; it must be off, shadow or enforce`)];
      }),
    ),
};

const trustedProxies: Kind<number | string[]> = {
  form: 'how many proxies stand before the service, or a list of their addresses and networks',
  parse(value) {
    if (/^\d$/.test(value)) return Number(value);
    return list.parse(value).map((name) => {
      const [address = '', bits] = name.split('/');
      const most = isIP(address) === 6 ? 128 : 32;
      const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
      return isIP(address) > 0 && fits ? name : fail(`has "${name}", which is no address or network`);
    });
  },
};

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

/** Every gateway there is, and what it cannot do without. */
export const gatewayNames = [
  'twilio',
  'vonage',
  'infobip',
  'messagebird',
  'aws',
  'webhook',
  'smpp',
  'console',
  'inbox',
] as const;
export type GatewayName = (typeof gatewayNames)[number];

const gatewayList: Kind<GatewayName[]> = {
  form: `list of ${gatewayNames.join(', ')}`,
  parse(value) {
    const names = list.parse(value).map((name) => {
      const known = gatewayNames.find((gateway) => gateway === name);
      return known ?? fail(`has the gateway "${name}"; there are ${gatewayNames.join(', ')}`);
    });
    if (names.length === 0) return fail('must name at least one gateway');
    if (new Set(names).size < names.length) return fail('names a gateway twice');
    return names;
  },
};

/** `DE=…; FR=…`: values by country, or by another key. */
function byKey<T>(keys: string, pattern: RegExp, value: Kind<T>): Kind<Map<string, T>> {
  return {
    form: `${keys}=value, separated by semicolons; a value is a ${value.form}`,
    parse(text) {
      const items = text.split(';').filter((item) => item.trim() !== '');
      return new Map(
        items.map((item) => {
          const equals = item.indexOf('=');
          const key = item.slice(0, Math.max(0, equals)).trim();
          if (!pattern.test(key)) return fail(`must be ${keys}=value, separated by semicolons`);
          return [key, value.parse(item.slice(equals + 1).trim())];
        }),
      );
    },
  };
}

const country = /^[A-Z]{2}$/;

const sender: Kind<string> = {
  form: 'number in E.164, a short code, or up to 11 letters and digits',
  parse: (value) =>
    /^(\+?\d{3,15}|(?=.*[A-Za-z])[A-Za-z0-9 _.&-]{1,11})$/.test(value)
      ? value
      : fail(`has the sender "${value}"; write a number in E.164, a short code, or up to 11 letters and digits`),
};

const locale: Kind<string> = {
  form: 'language such as en or pt-BR',
  parse: (value) =>
    /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value)
      ? value
      : fail(`has the locale "${value}"; write one such as en or pt-BR`),
};

const templates: Kind<Map<string, string>> = {
  form: 'JSON object: by locale, such as de, or locale/correlationType, such as de/1',
  parse(value) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(value);
    } catch {
      return fail('must be JSON');
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return fail('must be a JSON object');
    return new Map(
      Object.entries(parsed as Record<string, unknown>).map(([name, template]) => {
        if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(\/[01])?$/.test(name)) return fail(`has the name "${name}"`);
        if (typeof template !== 'string' || !template.includes('{code}')) {
          return fail(`has the template "${name}" without {code}`);
        }
        const [, unknown] = /\{(?!(?:brand|code|minutes)\})([^}]*)\}/.exec(template) ?? [];
        if (unknown !== undefined) return fail(`has {${unknown}} in "${name}"; there are {brand}, {code}, {minutes}`);
        return [name, template];
      }),
    );
  },
};

const testNumberList: Kind<TestNumber[]> = {
  form: '+number=code@date, separated by commas; the date is the last day, UTC',
  parse: (value) =>
    list.parse(value).map((item, index) => {
      const match = /^(\+\d+)=(\d{4,10})@(\d{4}-\d\d-\d\d)$/.exec(item);
      const phone = match && parsePhoneNumber(match[1]!)?.key;
      const day = match ? Date.parse(`${match[3]}T00:00:00Z`) : Number.NaN;
      if (!phone || Number.isNaN(day)) {
        return fail(`has item ${index + 1} in another form than +15005550006=123456@2030-12-31`);
      }
      return { phone, code: match[2]!, until: new Date(day + 86_400_000) };
    }),
};

const span: Kind<number> = { form: 'span such as 6h', parse: spanSeconds };

const webhookSecret: Kind<string> = {
  form: 'whsec_ and the base64 of 24 to 64 random bytes',
  parse(value) {
    const bytes = /^whsec_[A-Za-z0-9+/]+=*$/.test(value) ? Buffer.from(value.slice(6), 'base64').length : 0;
    return bytes >= 24 && bytes <= 64 ? value : fail('must be whsec_ and the base64 of 24 to 64 random bytes');
  },
};

/** Part of a path, or of a header. */
const word: Kind<string> = {
  form: 'text without spaces',
  parse: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : fail('must not contain spaces')),
};

const hostName: Kind<string> = {
  form: 'host name',
  parse: (value) =>
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(value) ? value : fail('must be a host name such as app.example.com'),
};

const androidHash: Kind<string> = {
  form: '11 letters of base64',
  parse: (value) => (/^[A-Za-z0-9+/]{11}$/.test(value) ? value : fail('must be the 11 letters that the app computes')),
};

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
  gateways: setting<GatewayName[] | undefined>({
    env: 'LEDGERLINE_GATEWAYS',
    kind: gatewayList,
    default: byMode<GatewayName[] | undefined>(['inbox'], undefined),
    defaultText: 'inbox in the sandbox',
    about: 'Who carries messages, first to last; docs/gateways.md tells how to set each up.',
  }),
  gatewaysByCountry: setting<Map<string, GatewayName[]>>({
    env: 'LEDGERLINE_GATEWAYS_BY_COUNTRY',
    kind: byKey('country', country, gatewayList),
    default: new Map(),
    defaultText: 'none',
    about: 'Another list for a country, such as `DE=vonage,twilio; FR=infobip`.',
  }),
  gatewaySeconds: setting({
    env: 'LEDGERLINE_GATEWAY_SECONDS',
    kind: integer(1, 60),
    default: 4,
    about: 'How long one gateway may take to answer.',
  }),
  sendSeconds: setting({
    env: 'LEDGERLINE_SEND_SECONDS',
    kind: integer(1, 120),
    default: 10,
    about: 'How long all gateways together may take; then the caller gets 503.',
  }),
  breakerFailures: setting({
    env: 'LEDGERLINE_BREAKER_FAILURES',
    kind: integer(1, 1000),
    default: 5,
    about: 'Failures in a row after which a gateway is left out.',
  }),
  breakerPauseSeconds: setting({
    env: 'LEDGERLINE_BREAKER_PAUSE',
    kind: span,
    default: 5,
    defaultText: '5s',
    about: 'How long a gateway is left out before one message tries it again; each try that fails doubles it.',
  }),
  breakerLongestSeconds: setting({
    env: 'LEDGERLINE_BREAKER_LONGEST_PAUSE',
    kind: span,
    default: 120,
    defaultText: '2m',
    about: 'The longest that a gateway is left out between two tries.',
  }),
  gatewayOrder: setting<'adaptive' | 'fixed'>({
    env: 'LEDGERLINE_GATEWAY_ORDER',
    kind: oneOf('adaptive', 'fixed'),
    default: 'adaptive',
    about: 'Whether a gateway whose messages do not arrive or are not used goes behind the others, by country.',
  }),
  orderWindowSeconds: setting({
    env: 'LEDGERLINE_ORDER_WINDOW',
    kind: span,
    default: 21_600,
    defaultText: '6h',
    about: 'Adaptive order: how far back the numbers go, and so how long a gateway stays behind.',
  }),
  orderMessages: setting({
    env: 'LEDGERLINE_ORDER_MESSAGES',
    kind: integer(10, 1_000_000),
    default: 50,
    about: 'Adaptive order: messages that a gateway must have carried in a country before anything is concluded.',
  }),
  orderMarginPercent: setting({
    env: 'LEDGERLINE_ORDER_MARGIN_PERCENT',
    kind: integer(1, 100),
    default: 15,
    about: 'Adaptive order: percentage points that a gateway must be behind another.',
  }),
  orderFloorPercent: setting({
    env: 'LEDGERLINE_ORDER_FLOOR_PERCENT',
    kind: integer(0, 100),
    default: 30,
    about: 'Adaptive order: a gateway below this goes behind the others even if nothing is known of them; 0 is off.',
  }),
  twilioAccount: setting<string | undefined>({
    env: 'LEDGERLINE_TWILIO_ACCOUNT',
    kind: word,
    default: undefined,
    about: 'Twilio: the account’s SID.',
  }),
  twilioToken: setting<string | undefined>({
    env: 'LEDGERLINE_TWILIO_TOKEN',
    kind: word,
    default: undefined,
    secret: true,
    about: 'Twilio: the account’s auth token; it also signs receipts.',
  }),
  twilioService: setting<string | undefined>({
    env: 'LEDGERLINE_TWILIO_SERVICE',
    kind: word,
    default: undefined,
    about: 'Twilio: SID of a messaging service that chooses the sender.',
  }),
  twilioUrl: setting({
    env: 'LEDGERLINE_TWILIO_URL',
    kind: url('https', 'http'),
    default: 'https://api.twilio.com',
    about: 'Twilio: where its API is.',
  }),
  vonageKey: setting<string | undefined>({
    env: 'LEDGERLINE_VONAGE_KEY',
    kind: word,
    default: undefined,
    about: 'Vonage: the API key.',
  }),
  vonageSecret: setting<string | undefined>({
    env: 'LEDGERLINE_VONAGE_SECRET',
    kind: word,
    default: undefined,
    secret: true,
    about: 'Vonage: the API secret.',
  }),
  vonageSignatureSecret: setting<string | undefined>({
    env: 'LEDGERLINE_VONAGE_SIGNATURE_SECRET',
    kind: word,
    default: undefined,
    secret: true,
    about: 'Vonage: the signature secret, where the account signs its webhooks.',
  }),
  vonageSignature: setting<VonageSignature>({
    env: 'LEDGERLINE_VONAGE_SIGNATURE',
    kind: oneOf(...vonageSignatures),
    default: 'sha256',
    about: 'Vonage: how the account signs its webhooks.',
  }),
  vonageUrl: setting({
    env: 'LEDGERLINE_VONAGE_URL',
    kind: url('https', 'http'),
    default: 'https://rest.nexmo.com',
    about: 'Vonage: where its API is.',
  }),
  infobipKey: setting<string | undefined>({
    env: 'LEDGERLINE_INFOBIP_KEY',
    kind: word,
    default: undefined,
    secret: true,
    about: 'Infobip: the API key.',
  }),
  infobipUrl: setting<string | undefined>({
    env: 'LEDGERLINE_INFOBIP_URL',
    kind: url('https', 'http'),
    default: undefined,
    about: 'Infobip: the account’s own base URL.',
  }),
  messagebirdKey: setting<string | undefined>({
    env: 'LEDGERLINE_MESSAGEBIRD_KEY',
    kind: word,
    default: undefined,
    secret: true,
    about: 'MessageBird: the access key.',
  }),
  messagebirdSigningKey: setting<string | undefined>({
    env: 'LEDGERLINE_MESSAGEBIRD_SIGNING_KEY',
    kind: word,
    default: undefined,
    secret: true,
    about: 'MessageBird: the key that signs its webhooks.',
  }),
  messagebirdUrl: setting({
    env: 'LEDGERLINE_MESSAGEBIRD_URL',
    kind: url('https', 'http'),
    default: 'https://rest.messagebird.com',
    about: 'MessageBird: where its API is.',
  }),
  awsRegion: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_REGION',
    kind: word,
    default: undefined,
    about: 'AWS End User Messaging: the region.',
  }),
  awsKeyId: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_KEY_ID',
    kind: word,
    default: undefined,
    about: 'AWS: the access key’s id.',
  }),
  awsSecret: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_SECRET',
    kind: word,
    default: undefined,
    secret: true,
    about: 'AWS: the secret access key. It needs sms-voice:SendTextMessage and nothing else.',
  }),
  awsSessionToken: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_SESSION_TOKEN',
    kind: word,
    default: undefined,
    secret: true,
    about: 'AWS: the session token that belongs to temporary keys.',
  }),
  awsConfigurationSet: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_CONFIGURATION_SET',
    kind: word,
    default: undefined,
    about: 'AWS: configuration set whose event destination reports deliveries.',
  }),
  awsTopic: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_TOPIC',
    kind: word,
    default: undefined,
    about: 'AWS: ARN of the SNS topic that the event destination reports to; its subscription is confirmed by itself.',
  }),
  awsUrl: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_URL',
    kind: url('https', 'http'),
    default: undefined,
    defaultText: 'https://sms-voice.REGION.amazonaws.com',
    about: 'AWS: where its API is.',
  }),
  webhookUrl: setting<string | undefined>({
    env: 'LEDGERLINE_WEBHOOK_URL',
    kind: url('https', 'http'),
    default: undefined,
    about: 'Webhook: address that messages are posted to.',
  }),
  webhookSecret: setting<string | undefined>({
    env: 'LEDGERLINE_WEBHOOK_SECRET',
    kind: webhookSecret,
    default: undefined,
    secret: true,
    about: 'Webhook: secret that signs messages and receipts (Standard Webhooks).',
  }),
  smppUrl: setting<string | undefined>({
    env: 'LEDGERLINE_SMPP_URL',
    kind: url('smpp', 'smpps'),
    default: undefined,
    about: 'SMPP: smpp://system-id@host:port, or smpps:// for TLS.',
  }),
  smppPassword: setting<string | undefined>({
    env: 'LEDGERLINE_SMPP_PASSWORD',
    kind: text,
    default: undefined,
    secret: true,
    about: 'SMPP: the password, of at most 8 characters.',
  }),
  smppSystemType: setting({
    env: 'LEDGERLINE_SMPP_SYSTEM_TYPE',
    kind: text,
    default: '',
    defaultText: 'none',
    about: 'SMPP: the system type, where the SMSC wants one.',
  }),
  smppWindow: setting({
    env: 'LEDGERLINE_SMPP_WINDOW',
    kind: integer(1, 1000),
    default: 50,
    about: 'SMPP: messages that may wait for the SMSC’s answer at once.',
  }),
  sender: setting({
    env: 'LEDGERLINE_SENDER',
    kind: sender,
    default: 'Ledgerline',
    about: 'Who messages come from.',
  }),
  senders: setting<Map<string, string>>({
    env: 'LEDGERLINE_SENDERS',
    kind: byKey(
      'country, gateway or gateway/country',
      new RegExp(`^([A-Z]{2}|(${gatewayNames.join('|')})(/[A-Z]{2})?)$`),
      sender,
    ),
    default: new Map(),
    defaultText: 'none',
    about: 'Another sender for a country or a gateway, such as `US=+15550001; twilio/US=+15550002`.',
  }),
  brand: setting({
    env: 'LEDGERLINE_BRAND',
    kind: text,
    default: 'Ledgerline',
    about: 'Name that stands in the messages.',
  }),
  brands: setting<Map<string, string>>({
    env: 'LEDGERLINE_BRANDS',
    kind: byKey('country', country, text),
    default: new Map(),
    defaultText: 'none',
    about: 'Another name for a country.',
  }),
  templates: setting<Map<string, string>>({
    env: 'LEDGERLINE_TEMPLATES',
    kind: templates,
    default: new Map(),
    defaultText: 'built in: de, en, es, fr, it, nl, pt',
    about: 'Words of the messages, with {code}, {brand} and {minutes} in them.',
  }),
  locale: setting({
    env: 'LEDGERLINE_LOCALE',
    kind: locale,
    default: 'en',
    about: 'Language of the messages where neither the request nor the country says another.',
  }),
  locales: setting<Map<string, string>>({
    env: 'LEDGERLINE_LOCALES',
    kind: byKey('country', country, locale),
    default: new Map(),
    defaultText: 'none',
    about: 'Language by country, such as `DE=de; AT=de; BR=pt-BR`.',
  }),
  webOtpHost: setting<string | undefined>({
    env: 'LEDGERLINE_WEBOTP_HOST',
    kind: hostName,
    default: undefined,
    about: 'Host on whose pages browsers may fill the code in: adds the last line of WebOTP.',
  }),
  androidHash: setting<string | undefined>({
    env: 'LEDGERLINE_ANDROID_HASH',
    kind: androidHash,
    default: undefined,
    about: 'Hash of the Android app that may read the code (SMS Retriever).',
  }),
  testNumbers: setting<TestNumber[] | undefined>({
    env: 'LEDGERLINE_TEST_NUMBERS',
    kind: testNumberList,
    default: undefined,
    secret: true,
    about: 'Numbers with a fixed code that no text is sent to, for app review.',
  }),
  testNumbersInProduction: setting({
    env: 'LEDGERLINE_TEST_NUMBERS_IN_PRODUCTION',
    kind: yesOrNo,
    default: false,
    about: 'Lets production have test numbers.',
  }),
  trailDays: setting({
    env: 'LEDGERLINE_TRAIL_DAYS',
    kind: integer(1, 3650),
    default: 90,
    about: 'How long the trail of verifications is kept.',
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
  rules: setting<ReadonlyMap<string, RuleMode>>({
    env: 'LEDGERLINE_RULES',
    kind: rules,
    default: new Map(),
    defaultText: 'enforce in production; in the sandbox user-sends, phone-sends and user-failures alone',
    about: 'Modes of the rules against abuse (docs/abuse.md); operators may change them while the service runs.',
  }),
  trustedProxies: setting<number | string[]>({
    env: 'LEDGERLINE_TRUSTED_PROXIES',
    kind: trustedProxies,
    default: [],
    about: 'Proxies whose X-Forwarded-For is believed. Without any, client addresses are not counted.',
  }),
  addressSends: setting<Rate[]>({
    env: 'LEDGERLINE_ADDRESS_SENDS',
    kind: sendRates,
    default: sendRates.parse('30/10m,300/1d'),
    defaultText: '30/10m,300/1d',
    about: 'Codes that may be asked for from one client address (IPv6: one /64).',
  }),
  tokenSends: setting<Rate[]>({
    env: 'LEDGERLINE_TOKEN_SENDS',
    kind: sendRates,
    default: sendRates.parse('10/10m,20/1d'),
    defaultText: '10/10m,20/1d',
    about: 'Codes that may be asked for with the user-bound tokens of one person.',
  }),
  userPhones: setting<Rate[]>({
    env: 'LEDGERLINE_USER_PHONES',
    kind: one(sendRates),
    default: sendRates.parse('3/1d'),
    defaultText: '3/1d',
    about: 'Different phones one user may have codes sent to.',
  }),
  phoneUsers: setting<Rate[]>({
    env: 'LEDGERLINE_PHONE_USERS',
    kind: one(sendRates),
    default: sendRates.parse('3/1d'),
    defaultText: '3/1d',
    about: 'Different users who may have codes sent to one phone.',
  }),
  countries: setting<string[] | undefined>({
    env: 'LEDGERLINE_COUNTRIES',
    kind: countries,
    default: byMode<string[] | undefined>(['*'], undefined),
    defaultText: '* in the sandbox; production must choose',
    about: 'Countries that codes are sent to.',
  }),
  refusedTypes: setting<string[]>({
    env: 'LEDGERLINE_REFUSED_TYPES',
    kind: refusedTypes,
    default: refusedTypes.parse('premium-rate,shared-cost,toll-free,pager,voicemail,personal-number'),
    defaultText: 'premium-rate, shared-cost, toll-free, pager, voicemail, personal-number',
    about: 'Kinds of numbers that no code is sent to.',
  }),
  prefixSends: setting<PrefixLimit | undefined>({
    env: 'LEDGERLINE_PREFIX_SENDS',
    kind: prefixLimit,
    default: prefixLimit.parse('20/1h/20'),
    defaultText: '20/1h/20',
    about:
      'Codes to numbers that differ in their last four digits; past the count the prefix is closed unless so many percent were verified.',
  }),
  countrySends: setting<ReadonlyMap<string, number>>({
    env: 'LEDGERLINE_COUNTRY_SENDS',
    kind: table('*=10000,DE=50000', wholeNumber),
    default: new Map([['*', 10_000]]),
    defaultText: '*=10000',
    about: 'Codes to one country in a day (UTC).',
  }),
  prices: setting<ReadonlyMap<string, number>>({
    env: 'LEDGERLINE_PRICES',
    kind: table('*=0.1,GB=0.04,+4470=0.5', moneyOf),
    default: new Map([['*', 1000]]),
    defaultText: '*=0.1',
    about: 'What a message costs, in your currency, by country or leading digits.',
  }),
  messageSpend: setting<number | undefined>({
    env: 'LEDGERLINE_MESSAGE_SPEND',
    kind: money,
    default: 5000,
    defaultText: '0.5',
    about: 'The most a message may cost; a dearer number is not supported.',
  }),
  countrySpend: setting<ReadonlyMap<string, number>>({
    env: 'LEDGERLINE_COUNTRY_SPEND',
    kind: table('*=1000,GB=2000', moneyOf),
    default: new Map([['*', 10_000_000]]),
    defaultText: '*=1000',
    about: 'The most that messages to one country may cost in a day (UTC).',
  }),
  daySpend: setting<number | undefined>({
    env: 'LEDGERLINE_DAY_SPEND',
    kind: money,
    default: 50_000_000,
    defaultText: '5000',
    about: 'The most that all messages may cost in a day (UTC).',
  }),
  phoneFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_PHONE_FAILURES',
    kind: failureRates,
    default: failureRates.parse('15/1d/1d'),
    defaultText: '15/1d/1d',
    about: 'Failed verifications of codes that went to one phone; then users who failed on it are refused.',
  }),
  addressFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_ADDRESS_FAILURES',
    kind: failureRates,
    default: failureRates.parse('50/1h/1h,200/1d/1d'),
    defaultText: '50/1h/1h,200/1d/1d',
    about: 'Failed verifications from one client address, and how long the next are refused.',
  }),
  tokenFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_TOKEN_FAILURES',
    kind: failureRates,
    default: failureRates.parse('10/1h/1h,20/1d/1d'),
    defaultText: '10/1h/1h,20/1d/1d',
    about: 'Failed verifications with the user-bound tokens of one person, and how long the next are refused.',
  }),
  codeUsers: setting<FailureRate[]>({
    env: 'LEDGERLINE_CODE_USERS',
    kind: one(failureRates),
    default: failureRates.parse('10/1h/1h'),
    defaultText: '10/1h/1h',
    about: 'Different users on whom one code may fail, and how long that code is refused then.',
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
  problems.push(...missingForGateways(config));
  for (const [name, value] of [
    ['LEDGERLINE_ISSUER', config.issuer],
    ['LEDGERLINE_JWKS_URL', config.jwksUrl],
    ['LEDGERLINE_TWILIO_URL', config.twilioUrl],
    ['LEDGERLINE_VONAGE_URL', config.vonageUrl],
    ['LEDGERLINE_INFOBIP_URL', config.infobipUrl],
    ['LEDGERLINE_MESSAGEBIRD_URL', config.messagebirdUrl],
    ['LEDGERLINE_AWS_URL', config.awsUrl],
    ['LEDGERLINE_WEBHOOK_URL', config.webhookUrl],
  ]) {
    if (value?.startsWith('http:') && !isLoopback(new URL(value).hostname)) {
      problems.push(`${name} must be https; http is for loopback only.`);
    }
  }
  if (config.breakerLongestSeconds < config.breakerPauseSeconds) {
    problems.push('LEDGERLINE_BREAKER_LONGEST_PAUSE must not be shorter than LEDGERLINE_BREAKER_PAUSE.');
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

/** Every gateway that a list names. */
export function gatewaysIn(config: Config): GatewayName[] {
  return [...new Set([...(config.gateways ?? []), ...[...config.gatewaysByCountry.values()].flat()])];
}

/** What a gateway that is named cannot do without. */
const needs: Partial<Record<GatewayName, (keyof typeof settings)[]>> = {
  twilio: ['twilioAccount', 'twilioToken'],
  vonage: ['vonageKey', 'vonageSecret'],
  infobip: ['infobipKey', 'infobipUrl'],
  messagebird: ['messagebirdKey'],
  aws: ['awsRegion', 'awsKeyId', 'awsSecret'],
  webhook: ['webhookUrl', 'webhookSecret'],
  smpp: ['smppUrl', 'smppPassword'],
};

function missingForGateways(config: Config): string[] {
  return gatewaysIn(config).flatMap((name) => {
    const missing = (needs[name] ?? []).filter((setting) => config[setting] === undefined);
    return missing.length === 0
      ? []
      : [`The gateway ${name} needs ${missing.map((setting) => settings[setting].env).join(' and ')}.`];
  });
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
  const real = (names: GatewayName[]) => names.every((name) => name !== 'inbox' && name !== 'console');
  if (!config.gateways || ![config.gateways, ...config.gatewaysByCountry.values()].every(real)) {
    problems.push('Production needs a gateway that sends: set LEDGERLINE_GATEWAYS to others than inbox and console.');
  }
  if (config.testNumbers && !config.testNumbersInProduction) {
    problems.push(
      'LEDGERLINE_TEST_NUMBERS gives fixed codes, which production refuses unless LEDGERLINE_TEST_NUMBERS_IN_PRODUCTION=true.',
    );
  }
  if (!config.countries) {
    problems.push('Production needs LEDGERLINE_COUNTRIES: the countries that codes are sent to, or * for all.');
  }
  if (config.clients?.some(({ id }) => id === 'sandbox')) {
    problems.push('LEDGERLINE_CLIENTS names the client sandbox, which production refuses.');
  }
  return problems;
}
