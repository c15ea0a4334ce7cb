/** Who may issue tokens, and the keys. */
import {
  base64Keys,
  byMode,
  fail,
  integer,
  type Kind,
  list,
  listOf,
  parseJson,
  setting,
  text,
  url,
  word,
} from '../../formats/setting-kinds.ts';

export interface ClientSetting {
  id: string;
  /** Lower-case hex of the SHA-256 of the generated secret. */
  secretSha256: string;
  scopes: string[];
  mayBindUsers: boolean;
  /** The client gets no token that is not bound to a user. */
  mustBindUsers: boolean;
}

/** The text, or nothing if this is not base64: Buffer reads up to the first `=` and ignores the rest. */
function fromBase64(text: string): string {
  const compact = text.replaceAll(/\s/g, '');
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(compact) ? Buffer.from(compact, 'base64').toString() : '';
}

/** Asymmetric signatures alone: a key that others know must not sign. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
] as const;

const pem: Kind<string> = {
  form: 'PEM, or its base64; PKCS #8 RSA private keys of 2048 bits or more; several, separated by commas: the first signs, all are published',
  parse(value) {
    const keys = list
      .parse(value)
      .map((item) => (item.includes('-----BEGIN') ? item.replaceAll('\\n', '\n') : fromBase64(item)));
    return keys.length > 0 && keys.every((key) => key.includes('-----BEGIN PRIVATE KEY-----'))
      ? keys.join('\n')
      : fail('must be PEM with at least one BEGIN PRIVATE KEY, or its base64; `ledgerline keys` makes one');
  },
};

export const scopes = [
  'users',
  'phone',
  'transactions:read',
  'transactions:write',
  'events:read',
  'events:write',
  'operator:read',
  'operator:write',
] as const;
export type Scope = (typeof scopes)[number];

const clients: Kind<ClientSetting[]> = {
  form: 'JSON list of {id, secretSha256, scopes, mayBindUsers, mustBindUsers}, or its base64; several of base64, separated by commas',
  parse(value) {
    const lists = /^\s*[[{]/.test(value) ? [value] : list.parse(value).map(fromBase64);
    const found = lists.flatMap(clientList).map((entry, index) => client(entry, `client ${index + 1}`));
    const ids = found.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) < index);
    return twice === undefined ? found : fail(`names the client "${twice}" twice`);
  },
};

function clientList(json: string): unknown[] {
  const parsed = parseJson(json, 'must be JSON, or its base64');
  return Array.isArray(parsed) ? parsed : fail('must be a JSON list of clients');
}

/** Whether a client may have this id. */
export const isClientId = (id: unknown): id is string => typeof id === 'string' && /^[\x21-\x7e]{1,100}$/.test(id);

function client(entry: unknown, which: string): ClientSetting {
  const {
    id,
    secretSha256,
    scopes: granted,
    mustBindUsers = false,
    mayBindUsers = mustBindUsers,
    ...rest
  } = Object(entry);
  const [unknown] = Object.keys(rest);
  if (unknown) return fail(`${which} has the unknown member ${unknown}`);
  if (!isClientId(id)) return fail(`${which} needs an id`);
  if (typeof secretSha256 !== 'string' || !/^[0-9a-f]{64}$/.test(secretSha256)) {
    return fail(`${which} needs secretSha256: 64 lower-case hex digits; \`ledgerline keys\` makes one`);
  }
  const known: readonly string[] = scopes;
  if (!Array.isArray(granted) || !granted.every((scope) => known.includes(scope))) {
    return fail(`${which} needs scopes, each one of ${scopes.join(', ')}`);
  }
  for (const [name, value] of Object.entries({ mustBindUsers, mayBindUsers })) {
    if (typeof value !== 'boolean') return fail(`${which}: ${name} must be true or false`);
  }
  if (mustBindUsers && !mayBindUsers) return fail(`${which} must bind users, but mayBindUsers is false`);
  return { id, secretSha256, scopes: granted, mayBindUsers, mustBindUsers };
}

export const tokensSettings = {
  issuer: setting({
    env: 'LEDGERLINE_ISSUER',
    kind: url('https', 'http'),
    defaultText: 'none: the embedded issuer',
    httpsOnly: true,
    about: 'Trusted token issuer, exactly as in the `iss` of its tokens. http is allowed on loopback only.',
  }),
  jwksUrl: setting({
    env: 'LEDGERLINE_JWKS_URL',
    kind: url('https', 'http'),
    defaultText: 'found by the issuer’s discovery document',
    httpsOnly: true,
    about: 'URL of the issuer’s key set.',
  }),
  jwksRefreshSeconds: setting({
    env: 'LEDGERLINE_JWKS_REFRESH_SECONDS',
    kind: integer(1, 86400),
    default: 300,
    about:
      'Age after which the issuer’s keys are read again. A key that the issuer has removed is then no longer accepted. Tokens with an unknown key cause at most one read in a tenth of this time.',
  }),
  audience: setting({
    env: 'LEDGERLINE_AUDIENCE',
    kind: text,
    default: 'ledgerline',
    about: 'The `aud` that a token must have.',
  }),
  algorithms: setting<string[]>({
    env: 'LEDGERLINE_ALGORITHMS',
    kind: listOf('algorithm', algorithms),
    default: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    about: 'Signature algorithms accepted from the issuer.',
  }),
  consoleClientId: setting({
    env: 'LEDGERLINE_CONSOLE_CLIENT_ID',
    kind: word,
    defaultText: 'none: operators paste a token',
    about:
      'Client id of the console at LEDGERLINE_ISSUER, for signing in there: a public client with the authorization code flow, PKCE, and the redirect URI PUBLIC_URL/console.',
  }),
  userClaim: setting({
    env: 'LEDGERLINE_USER_CLAIM',
    kind: text,
    default: 'user_id',
    about: 'Claim that binds a token to one user.',
  }),
  clients: setting({
    env: 'LEDGERLINE_CLIENTS',
    kind: clients,
    defaultText: 'in the sandbox the client `sandbox` with the secret `sandbox`',
    secret: true,
    about: 'Clients of the embedded issuer.',
  }),
  signingKey: setting({
    env: 'LEDGERLINE_SIGNING_KEY',
    kind: pem,
    defaultText: 'made in DATA_DIR in the sandbox',
    secret: true,
    about: 'Keys of the embedded issuer. Set the same keys on every node.',
  }),
  digestKeys: setting({
    env: 'LEDGERLINE_DIGEST_KEY',
    kind: base64Keys,
    defaultText: 'made in DATA_DIR in the sandbox',
    secret: true,
    requiredBy: 'production',
    howToSet: '`ledgerline keys` makes one',
    about:
      'Keys for the digests of stored codes, for page tokens and for message references. Set the same keys on every node.',
  }),
  tokenSeconds: setting({
    env: 'LEDGERLINE_TOKEN_SECONDS',
    kind: integer(60, 2_592_000),
    default: byMode(86400, 3600),
    defaultText: '86400; 3600 in production',
    about: 'Lifetime of a token of the embedded issuer.',
  }),
};
