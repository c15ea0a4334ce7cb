/** The addresses that the server listens on, and the proxies that it trusts. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { byMode, fail, integer, type Kind, list, listOf, setting, text, url } from '../../formats/setting-kinds.ts';
import { isNetwork } from '../../values/network.ts';

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

/** How a file with one font begins. A collection of fonts (ttcf) cannot be used. */
const fontSignatures = ['\0\u0001\0\0', 'true', 'OTTO', 'wOFF', 'wOF2'];

const fontFile: Kind<string> = {
  form: 'path of a TrueType, OpenType or WOFF font',
  parse(value) {
    let start: string;
    try {
      start = readFileSync(value).toString('latin1', 0, 4);
    } catch (error) {
      return fail(`names a file that cannot be read: ${(error as Error).message}`);
    }
    return fontSignatures.includes(start) ? value : fail('names a file that is not a TrueType, OpenType or WOFF font');
  },
};

export const pageNames = ['sandbox', 'wallet', 'console'] as const;
export type PageName = (typeof pageNames)[number];

const trustedProxies: Kind<number | string[]> = {
  form: 'how many proxies are in front of the service, or a list of their addresses and networks',
  parse(value) {
    if (/^\d$/.test(value)) return Number(value);
    return list
      .parse(value)
      .map((name) => (isNetwork(name) ? name : fail(`has "${name}", which is no address or network`)));
  },
};

const maxProcesses = 64;

const processCount: Kind<number> = {
  form: `integer, 1 to ${maxProcesses}, or auto: one for each core`,
  parse: (value) =>
    value === 'auto' ? Math.min(maxProcesses, availableParallelism()) : integer(1, maxProcesses, 'auto').parse(value),
};

export const serverSettings = {
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
    about: 'Port to listen on. 0 means any free port.',
  }),
  publicUrl: setting({
    env: 'PUBLIC_URL',
    kind: url('http', 'https'),
    defaultText: 'http://HOST:PORT',
    about: 'URL under which callers reach the service, and the issuer of the embedded issuer’s tokens.',
  }),
  corsOrigins: setting<string[]>({
    env: 'LEDGERLINE_CORS_ORIGINS',
    kind: origins,
    default: [],
    about: 'Origins of web pages that may call the API.',
  }),
  pages: setting<PageName[]>({
    env: 'LEDGERLINE_PAGES',
    kind: listOf('page', pageNames),
    default: byMode<PageName[]>([...pageNames], []),
    defaultText: 'all of them; none in production',
    about: 'Pages that are served. The page `sandbox`, at /, is for the sandbox only.',
  }),
  trustedProxies: setting<number | string[]>({
    env: 'LEDGERLINE_TRUSTED_PROXIES',
    kind: trustedProxies,
    default: [],
    about: 'Proxies whose X-Forwarded-For is trusted. Without any, client addresses are not counted.',
  }),
  processes: setting({
    env: 'LEDGERLINE_PROCESSES',
    kind: processCount,
    default: 1,
    about:
      'Processes that share the port, to use several cores of one machine. They divide LEDGERLINE_DATABASE_CONNECTIONS between them.',
  }),
  connectionsAtOnce: setting({
    env: 'LEDGERLINE_CONNECTIONS',
    kind: integer(10, 1_000_000),
    default: 8192,
    about:
      'Connections of callers in each process. One address that is not in LEDGERLINE_TRUSTED_PROXIES may have half of them. At the limit slow and idle connections are closed; further ones get 503, except for health. Each needs a file descriptor.',
  }),
  requestsAtOnce: setting({
    env: 'LEDGERLINE_REQUESTS',
    kind: integer(8, 100_000),
    default: 256,
    about:
      'Requests that each process works on at the same time; one user may have a quarter of them. Further requests get 503 with Retry-After, except in a burst, which may be four times as large for a second. Requests that wait for a gateway or a long statement, or whose answer is being read, do not count.',
  }),
  exportsAtOnce: setting({
    env: 'LEDGERLINE_EXPORTS',
    kind: integer(1, 200),
    default: 8,
    about:
      'Exports at the same time in each process, each on its own database connection; and as many statements that are made or read. One client may use three quarters of them, one user a quarter. If all are in use, one whose reader is slow is ended for another caller.',
  }),
  statementFont: setting({
    env: 'LEDGERLINE_STATEMENT_FONT',
    kind: fontFile,
    about:
      'A font file for statements, for characters that the bundled fonts lack, such as Korean or Chinese ones. They have Latin, Greek, Cyrillic, Arabic, Hebrew and Japanese.',
  }),
  drainSeconds: setting({
    env: 'LEDGERLINE_DRAIN_SECONDS',
    kind: integer(0, 300),
    default: byMode(0, 5),
    defaultText: '0; 5 in production',
    about:
      'How long a stop still accepts requests after /health/ready has begun to answer 503. It must be longer than the load balancer needs to notice.',
  }),
  stopSeconds: setting({
    env: 'LEDGERLINE_STOP_SECONDS',
    kind: integer(1, 300),
    default: 20,
    about: 'How long a stop waits for requests in flight, after it has stopped accepting new ones.',
  }),
};
