/** The database and its connections. */
import { MalformedAddress, parseAddress } from '../../db/sessions/address.ts';
import { byMode, fail, integer, oneOf, setting, type Kind } from '../../formats/setting-kinds.ts';

const databaseUrl: Kind<string> = {
  form: 'URL, postgres://, with one host or several, separated by commas',
  parse(value) {
    try {
      parseAddress(value);
      return value;
    } catch (error) {
      if (error instanceof MalformedAddress) return fail(error.message);
      throw error;
    }
  },
};

export const databaseSettings = {
  databaseUrl: setting({
    env: 'DATABASE_URL',
    kind: databaseUrl,
    defaultText: 'none: the embedded PostgreSQL; production must choose',
    secret: true,
    requiredBy: 'production',
    howToSet: 'the address of a PostgreSQL 15 or newer; the embedded one is for the sandbox',
    about:
      'PostgreSQL 15 or newer, used instead of the embedded one. If there are several hosts, the service uses the primary.',
  }),
  databaseReadUrl: setting({
    env: 'DATABASE_READ_URL',
    kind: databaseUrl,
    defaultText: 'none: the primary',
    secret: true,
    about:
      'Standbys of the same database. They serve pages, totals and exports that have `asOf`, as long as they are not behind the primary for the individual.',
  }),
  databaseConnections: setting({
    env: 'LEDGERLINE_DATABASE_CONNECTIONS',
    kind: integer(4, 200),
    default: 16,
    about:
      'Connections to the database: an eighth for short reads, half for short writes, the remaining ones for long reads and for transactions. Exports use separate connections.',
  }),
  statementSeconds: setting({
    env: 'LEDGERLINE_STATEMENT_SECONDS',
    kind: integer(1, 600),
    default: 5,
    about: 'Longest time that a statement of a request may take. After that it is cancelled, and the caller gets 503.',
  }),
  migrate: setting<'auto' | 'check'>({
    env: 'LEDGERLINE_MIGRATE',
    kind: oneOf('auto', 'check'),
    default: byMode<'auto' | 'check'>('auto', 'check'),
    defaultText: 'auto; check in production',
    about: 'What a start does with the schema: update it (auto), or only check that it is up to date (check).',
  }),
};
