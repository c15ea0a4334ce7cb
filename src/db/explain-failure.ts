/** Says in a sentence why a database cannot be used, and what to do about it. */
import { StartError } from '../errors.ts';
import { nameAddress } from './address.ts';
import { errorCode } from './failures.ts';

interface Explanation {
  codes: RegExp;
  cause: string;
  cure: string;
}

/** SQLSTATEs, and error codes of the driver and of sockets. The first match is the explanation. */
const explanations: Explanation[] = [
  {
    codes: /^28/,
    cause: 'it refuses the login',
    cure: 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.',
  },
  {
    codes: /^3D000$/,
    cause: 'there is no database of that name',
    cure: 'Create it, or correct the name in DATABASE_URL.',
  },
  {
    codes: /^42501$/,
    cause: 'the role lacks rights in it',
    cure: 'Let the owner of the schema grant what the service needs; `ledgerline grants` lists it.',
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
    cure: 'Name the primary in DATABASE_URL.',
  },
  {
    codes: /^ERR_TLS_NOT_OFFERED$/,
    cause: 'it offers no encryption',
    cure: 'Set ssl = on in PostgreSQL, or leave sslmode out of DATABASE_URL.',
  },
  {
    codes: /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/,
    cause: 'its certificate is not trusted',
    cure: 'Set NODE_EXTRA_CA_CERTS to the certificate of its authority, and use the name that is in the certificate.',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    cause: 'its host name does not resolve',
    cure: 'Check the host in DATABASE_URL.',
  },
  {
    codes: /^(ECONN|EHOST|ENET|ETIMEDOUT|CONNECT)/,
    cause: 'nothing answers there',
    cure: 'Check host and port in DATABASE_URL and that the server runs.',
  },
];

const unexplained = { cause: 'it answers with an error', cure: 'Check DATABASE_URL and the log of the server.' };

export interface DatabaseFault {
  cause: string;
  cure: string;
}

export function explainFault(error: unknown): DatabaseFault {
  const code = errorCode(error);
  const { cause, cure } = explanations.find(({ codes }) => codes.test(code)) ?? unexplained;
  return { cause: `${cause} (${code})`, cure };
}

/** For the person who started a command. Other failures are returned unchanged. */
export function asStartError(error: unknown, url: string): unknown {
  if (error instanceof StartError || (error as { code?: unknown } | undefined)?.code === undefined) return error;
  const { cause, cure } = explainFault(error);
  return new StartError(`The database ${nameAddress(url)} cannot be used: ${cause}. ${cure}`);
}
