/** Says in a sentence why a database cannot be used, and what to do about it. */
import { StartError, type Problem } from '../../errors.ts';
import { explainTlsFailure } from '../../network/tls-failure.ts';
import { nameEndpoint, parseAddress, type DatabaseAddress } from '../sessions/address.ts';
import { asProblem, errorCode, isFromPostgres } from '../failures.ts';
import { NoUsableHost } from '../sessions/route.ts';

export interface DatabaseFault {
  cause: string;
  cure: string;
}

interface Explanation {
  codes: RegExp;
  /** Of a refused login with what the server says: it names the host, the user and the database, and no password. */
  cause: string | ((message: string) => string);
  cure: string | ((address: DatabaseAddress, message: string) => string);
}

const explanation = (codes: RegExp, cause: Explanation['cause'], cure: Explanation['cure']): Explanation => ({
  codes,
  cause,
  cure,
});

const unanswered = explanation(
  /^(ECONN|EHOST|ENET|ETIMEDOUT|CONNECT|PROBE)/,
  'nothing answers there',
  'Check host and port in DATABASE_URL and that the server runs.',
);

const refusedLogin = (message: string) => `it refuses the login: ${message}`;

/** SQLSTATEs, and error codes of the driver and of sockets. The first match is the explanation. */
const explanations = [
  explanation(/^28/, refusedLogin, cureLogin),
  explanation(/^08P01$/, refusedLogin, 'Check the settings of the pooler, and DATABASE_URL.'),
  explanation(/^42501$/, 'the role lacks rights in it', ({ login }) => grantsCure(login.user ?? '<role>')),
  explanation(/^3D000$/, 'there is no database of that name', 'Create it, or correct the name in DATABASE_URL.'),
  explanation(
    /^53300$/,
    'it has no connection left',
    'Raise max_connections of the server, or lower LEDGERLINE_DATABASE_CONNECTIONS.',
  ),
  explanation(/^53/, 'it is out of disk or memory', 'Give the server more of it.'),
  explanation(/^57P0/, 'it is starting or stopping', 'Try again when it runs.'),
  explanation(
    /^25006$/,
    'it is a read-only standby',
    'Name the primary in DATABASE_URL, or all hosts, separated by commas.',
  ),
  explanation(
    /^STALE_PRIMARY$/,
    'only an old primary answers, which lacks what was written since the last failover',
    'Start the current primary; make the old one a standby (pg_rewind).',
  ),
  explanation(
    /^ERR_TLS_NOT_OFFERED$/,
    'it offers no encryption',
    'Set ssl = on in PostgreSQL, or leave sslmode out of DATABASE_URL.',
  ),
  explanation(
    /^(ERR_TLS|ERR_SSL|EPROTO)/,
    'the encrypted connection fails',
    'Check the ssl settings and the log of the server.',
  ),
  explanation(/^(ENOTFOUND|EAI_AGAIN)$/, 'its host name does not resolve', 'Check the host in DATABASE_URL.'),
  explanation(
    /^LOGIN_FAILED$/,
    'it wants a password, and DATABASE_URL has none that can be used',
    'Put user and password into DATABASE_URL, with special characters escaped (%40 for @).',
  ),
  explanation(
    /^LOGIN_TIMEOUT$/,
    'it accepts the connection, but lets the login wait',
    'If it is a pooler, it has no free connection: raise its default_pool_size (docs/production.md, "pgbouncer"). ' +
      'Otherwise look at the load and the log of the server.',
  ),
  unanswered,
];

function cureLogin({ encryption }: DatabaseAddress, message: string): string {
  return encryption.mode === 'off' && message.includes('pg_hba.conf')
    ? 'The connection is not encrypted, and the server may accept only encrypted ones: add sslmode=verify-full to ' +
        'DATABASE_URL (docs/production.md, "Database and grants"). Otherwise add this host to pg_hba.conf of the server.'
    : 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.';
}

export const grantsCure = (role: string) =>
  `Let the owner of the schema run \`ledgerline grants --role ${role} --apply\`.`;

function describeUntrusted({ encryption: { caFile } }: DatabaseAddress): DatabaseFault {
  return caFile === undefined
    ? {
        cause: 'its certificate is not trusted',
        cure: 'Set NODE_EXTRA_CA_CERTS to the certificate of its authority, or add sslrootcert=/path/ca.pem to DATABASE_URL.',
      }
    : {
        cause: `its certificate is not signed by the authority in ${caFile}`,
        cure: 'Set sslrootcert in DATABASE_URL to the certificate of the authority that signed the server’s certificate.',
      };
}

/** Undefined if the error does not say what is wrong with the database. */
function findExplanation(error: unknown): Explanation | undefined {
  const code = errorCode(error);
  // The folder of a Unix socket, which is a host too, has no socket. Other missing files are not about the database.
  if (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect') return unanswered;
  return explanations.find(({ codes }) => codes.test(code));
}

/** Whether the code of an error says what is wrong with the database, and not with a statement. */
export function isExplained(error: unknown): boolean {
  return error instanceof NoUsableHost || (explainTlsFailure(error) ?? findExplanation(error)) !== undefined;
}

/** `address`: with which the connection was opened. */
export function explainFault(error: unknown, address: DatabaseAddress): DatabaseFault {
  if (error instanceof NoUsableHost) return explainHosts(error, address);
  const found = findExplanation(error);
  const { cause, cure } =
    explainTlsFailure(error, describeUntrusted(address)) ??
    (found ? fillIn(found, (error as Error).message, address) : describeUnexplained(error));
  return { cause: `${cause} (${errorCode(error)})`, cure };
}

function fillIn({ cause, cure }: Explanation, message: string, address: DatabaseAddress): DatabaseFault {
  return {
    cause: typeof cause === 'string' ? cause : cause(message),
    cure: typeof cure === 'string' ? cure : cure(address, message),
  };
}

/** A message of PostgreSQL names objects; values are in its details, which are not shown. */
function describeUnexplained(error: unknown): DatabaseFault {
  const said = isFromPostgres(error) ? `: ${(error as Error).message}` : '';
  return { cause: `it answers with an error${said}`, cure: 'Check DATABASE_URL and the log of the server.' };
}

/** Codes of a standby and of a host that cannot be reached: what to do depends on the other hosts. */
const isExpectedOfAHost = /^(25006|E(CONN|HOST|NET)|ETIMEDOUT|CONNECT|ENOTFOUND|EAI_AGAIN)/;

function explainHosts({ hosts }: NoUsableHost, address: DatabaseAddress): DatabaseFault {
  const faults = hosts.map(({ endpoint, error }) => ({ endpoint, error, ...explainFault(error, address) }));
  const causes = faults.map(({ endpoint, cause }) => `${nameEndpoint(endpoint)}: ${cause}`);
  const cures = new Set(
    faults.filter(({ error }) => !isExpectedOfAHost.test(errorCode(error))).map(({ cure }) => cure),
  );
  return {
    cause: `none of its hosts is a primary that can be used: ${causes.join('; ')}`,
    cure:
      [...cures].join(' ') || 'Start the primary or promote a standby, and check that DATABASE_URL names all hosts.',
  };
}

const anyAddress = parseAddress('postgres://');

/** What a failed statement means to a caller, as `asProblem` says; with a cause for the log, if the database is at fault. */
export function asExplainedProblem(error: unknown): Problem | undefined {
  const problem = asProblem(error);
  if (problem && isExplained(error)) problem.cause = explainFault(error, anyAddress).cause;
  return problem;
}

export function cannotBeUsed({ name }: DatabaseAddress, { cause, cure }: DatabaseFault): StartError {
  return new StartError(`The database ${name} cannot be used: ${cause}. ${cure}`);
}

/** For the person who started a command. Other failures are returned unchanged. */
export function asStartError(error: unknown, url: string): unknown {
  if (error instanceof StartError || !(isFromPostgres(error) || isExplained(error))) return error;
  const address = parseAddress(url);
  return cannotBeUsed(address, explainFault(error, address));
}

/** As `asStartError`, for a command that only the owner of the schema may run. SQLSTATE 42501: insufficient_privilege. */
export function asOwnerError(error: unknown, url: string): unknown {
  if (errorCode(error) !== '42501') return asStartError(error, url);
  const { name, login } = parseAddress(url);
  return new StartError(
    `The role ${login.user ?? ''} may not change the schema of the database ${name}: ${(error as Error).message} (42501). ` +
      'Run this command with DATABASE_URL set to the URL of the role that owns the schema (docs/production.md: OWNER_URL), ' +
      'not to that of the service.',
  );
}
