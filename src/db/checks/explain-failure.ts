/** Says in a sentence why a database cannot be used, and what to do about it. */
import { StartError, type Problem } from '../../errors.ts';
import { explainTlsFailure } from '../../network/tls-failure.ts';
import { nameAddress, nameEndpoint, readRole, parseAddress, type Encryption } from '../sessions/address.ts';
import { asProblem, errorCode, isFromPostgres } from '../failures.ts';
import { NoUsableHost } from '../sessions/route.ts';

export interface DatabaseFault {
  cause: string;
  cure: string;
}

interface Explanation extends DatabaseFault {
  codes: RegExp;
}

const unanswered: DatabaseFault = {
  cause: 'nothing answers there',
  cure: 'Check host and port in DATABASE_URL and that the server runs.',
};

/** SQLSTATEs, and error codes of the driver and of sockets. The first match is the explanation. */
const explanations: Explanation[] = [
  {
    codes: /^3D000$/,
    cause: 'there is no database of that name',
    cure: 'Create it, or correct the name in DATABASE_URL.',
  },
  {
    codes: /^53300$/,
    cause: 'it has no connection left',
    cure: 'Raise max_connections of the server, or lower LEDGERLINE_DATABASE_CONNECTIONS.',
  },
  { codes: /^53/, cause: 'it is out of disk or memory', cure: 'Give the server more of it.' },
  { codes: /^57P0/, cause: 'it is starting or stopping', cure: 'Try again when it runs.' },
  {
    codes: /^25006$/,
    cause: 'it is a read-only standby',
    cure: 'Name the primary in DATABASE_URL, or all hosts, separated by commas.',
  },
  {
    codes: /^STALE_PRIMARY$/,
    cause: 'only an old primary answers, which lacks what was written since the last failover',
    cure: 'Start the current primary; make the old one a standby (pg_rewind).',
  },
  {
    codes: /^ERR_TLS_NOT_OFFERED$/,
    cause: 'it offers no encryption',
    cure: 'Set ssl = on in PostgreSQL, or leave sslmode out of DATABASE_URL.',
  },
  {
    codes: /^(ERR_TLS|ERR_SSL|EPROTO)/,
    cause: 'the encrypted connection fails',
    cure: 'Check the ssl settings and the log of the server.',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    cause: 'its host name does not resolve',
    cure: 'Check the host in DATABASE_URL.',
  },
  {
    codes: /^LOGIN_FAILED$/,
    cause: 'it wants a password, and DATABASE_URL has none that can be used',
    cure: 'Put user and password into DATABASE_URL, with special characters escaped (%40 for @).',
  },
  {
    codes: /^LOGIN_TIMEOUT$/,
    cause: 'it accepts the connection, but lets the login wait',
    cure:
      'If it is a pooler, it has no free connection: raise its default_pool_size (docs/production.md, "pgbouncer"). ' +
      'Otherwise look at the load and the log of the server.',
  },
  { codes: /^(ECONN|EHOST|ENET|ETIMEDOUT|CONNECT|PROBE)/, ...unanswered },
];

/** Undefined if the error does not say what is wrong with the database. Some cures depend on `url`. */
function findFault(error: unknown, url = 'postgres://'): DatabaseFault | undefined {
  const code = errorCode(error);
  const { encryption } = parseAddress(url);
  return (
    explainRefusedLogin(error, encryption) ??
    explainTlsFailure(error, describeUntrusted(encryption)) ??
    (code === '42501' ? describeMissingRights(url) : undefined) ??
    explanations.find(({ codes }) => codes.test(code)) ??
    (isMissingSocket(error) ? unanswered : undefined)
  );
}

/** A message of PostgreSQL names objects; values are in its details, which are not shown. */
function describeUnexplained(error: unknown): DatabaseFault {
  const said = isFromPostgres(error) ? `: ${(error as Error).message}` : '';
  return { cause: `it answers with an error${said}`, cure: 'Check DATABASE_URL and the log of the server.' };
}

/** Codes of a standby and of a host that cannot be reached: what to do depends on the other hosts. */
const isExpectedOfAHost = /^(25006|E(CONN|HOST|NET)|ETIMEDOUT|CONNECT|ENOTFOUND|EAI_AGAIN)/;

/** `url` is the setting with which the connection was opened. */
export function explainFault(error: unknown, url: string): DatabaseFault {
  if (error instanceof NoUsableHost) return explainHosts(error, url);
  const { cause, cure } = findFault(error, url) ?? describeUnexplained(error);
  return { cause: `${cause} (${errorCode(error)})`, cure };
}

/** Whether the code of an error says what is wrong with the database, and not with a statement. */
export function isExplained(error: unknown): boolean {
  return error instanceof NoUsableHost || findFault(error) !== undefined;
}

/** The folder of a Unix socket, which is a host too, has no socket. Other missing files are not about the database. */
function isMissingSocket(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect';
}

export const grantsCure = (role: string) =>
  `Let the owner of the schema run \`ledgerline grants --role ${role} --apply\`.`;

function describeMissingRights(url: string): DatabaseFault {
  const role = readRole(url) ?? '<role>';
  return {
    cause: 'the role lacks rights in it',
    cure: grantsCure(role),
  };
}

/** What the server says about a login names the host, the user and the database, and no password. */
function explainRefusedLogin(error: unknown, { mode }: Encryption): DatabaseFault | undefined {
  if (!isFromPostgres(error) || !/^(28|08P01)/.test(errorCode(error))) return undefined;
  const { message } = error as Error;
  const cause = `it refuses the login: ${message}`;
  if (mode === 'off' && message.includes('pg_hba.conf')) {
    return {
      cause,
      cure:
        'The connection is not encrypted, and the server may accept only encrypted ones: add sslmode=verify-full to ' +
        'DATABASE_URL (docs/production.md, "Database and grants"). Otherwise add this host to pg_hba.conf of the server.',
    };
  }
  return errorCode(error) === '08P01'
    ? { cause, cure: 'Check the settings of the pooler, and DATABASE_URL.' }
    : { cause, cure: 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.' };
}

function describeUntrusted({ caFile }: Encryption): DatabaseFault {
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

function explainHosts({ hosts }: NoUsableHost, url: string): DatabaseFault {
  const faults = hosts.map(({ endpoint, error }) => ({
    host: nameEndpoint(endpoint),
    code: errorCode(error),
    ...explainFault(error, url),
  }));
  const cures = new Set(faults.filter(({ code }) => !isExpectedOfAHost.test(code)).map(({ cure }) => cure));
  return {
    cause: `none of its hosts is a primary that can be used: ${faults.map(({ host, cause }) => `${host}: ${cause}`).join('; ')}`,
    cure:
      cures.size > 0
        ? [...cures].join(' ')
        : 'Start the primary or promote a standby, and check that DATABASE_URL names all hosts.',
  };
}

/** What a failed statement means to a caller, as `asProblem` says; with a cause for the log, if the database is at fault. */
export function asExplainedProblem(error: unknown): Problem | undefined {
  const problem = asProblem(error);
  if (problem && isExplained(error)) problem.cause = explainFault(error, 'postgres://').cause;
  return problem;
}

/** For the person who started a command. Other failures are returned unchanged. */
export function asStartError(error: unknown, url: string): unknown {
  if (error instanceof StartError || !(isFromPostgres(error) || isExplained(error))) return error;
  const { cause, cure } = explainFault(error, url);
  return new StartError(`The database ${nameAddress(url)} cannot be used: ${cause}. ${cure}`);
}

/** As `asStartError`, for a command that only the owner of the schema may run. SQLSTATE 42501: insufficient_privilege. */
export function asOwnerError(error: unknown, url: string): unknown {
  if (errorCode(error) !== '42501') return asStartError(error, url);
  return new StartError(
    `The role ${readRole(url) ?? ''} may not change the schema of the database ${nameAddress(url)}: ${(error as Error).message} (42501). ` +
      'Run this command with DATABASE_URL set to the URL of the role that owns the schema (docs/production.md: OWNER_URL), ' +
      'not to that of the service.',
  );
}
