/** Reads a database URL: one host or several, and how the connection is encrypted. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDecodable } from '../../formats/setting-kinds.ts';

/** A host name, an address, or the folder of a Unix socket. */
export interface DatabaseEndpoint {
  host: string;
  port: number;
}

export interface Encryption {
  /** `preferred` works unencrypted if the server has no encryption. Only `verified` checks the server's identity. */
  mode: 'off' | 'preferred' | 'required' | 'verified';
  /** The certificate of a private certificate authority, and its file. */
  ca?: Buffer;
  caFile?: string;
}

export interface DatabaseAddress {
  /** For messages to operators, without user and password. */
  name: string;
  endpoints: DatabaseEndpoint[];
  encryption: Encryption;
  /** `options`: settings for the start of the session, as libpq has them. A pooler refuses them. */
  login: { user?: string; password: string; database?: string; options?: string };
  /** Statements that set the further parameters of the URL. */
  settings: string[];
}

const pattern = /^postgres(?:ql)?:\/\/(?:(?<user>[^@/?]*)@)?(?<hosts>[^@/?]*)(?<path>\/[^?]*)?(?:\?(?<query>.*))?$/;
const defaultPort = 5432;

export class MalformedAddress extends Error {}

export function parseAddress(url: string): DatabaseAddress {
  const match = pattern.exec(url);
  if (!match) throw new MalformedAddress('must be a URL such as postgres://user:password@host:5432/database');
  const { user = '', hosts = '', path = '', query = '' } = match.groups!;
  if (!isDecodable(`${user}${hosts}${path}`)) {
    throw new MalformedAddress('has a % that starts no valid escape; write %25 for %');
  }
  const parameters = new URLSearchParams(query);
  const name = `${path.slice(1) || 'of that user'} at ${parameters.get('host') ?? (hosts || 'localhost')}`;
  const encryption = readEncryption(parameters);
  const endpoints = readEndpoints(hosts, parameters);
  const [role = '', password = ''] = user.split(/:(.*)/s).map(decodeURIComponent);
  const database = decodeURIComponent(path.slice(1));
  const options = parameters.get('options');
  parameters.delete('options');
  return {
    name,
    endpoints,
    encryption,
    login: { password, ...(role && { user: role }), ...(database && { database }), ...(options && { options }) },
    settings: [...parameters].map(([key, value]) => `set ${quotedName(key)} = ${quotedText(value)}`),
  };
}

const quotedName = (name: string) => `"${name.replaceAll('"', '""')}"`;
const quotedText = (text: string) => `'${text.replaceAll("'", "''")}'`;

export function nameEndpoint({ host, port }: DatabaseEndpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** As in libpq, the parameters `host` and `port` replace what stands before the path. Removes them. */
function readEndpoints(hosts: string, parameters: URLSearchParams): DatabaseEndpoint[] {
  const [names, ports] = ['host', 'port'].map((name) => parameters.get(name)?.split(','));
  for (const name of ['host', 'port']) parameters.delete(name);
  const texts = names?.map((name) => (name.includes(':') ? `[${name}]` : encodeURIComponent(name))) ?? hosts.split(',');
  return texts.map((text, index) =>
    parseEndpoint(ports ? `${text}:${ports.length === 1 ? ports[0] : ports[index]}` : text),
  );
}

function parseEndpoint(text: string): DatabaseEndpoint {
  const match = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text.trim());
  const port = match?.[2] === undefined ? defaultPort : Number(match[2]);
  if (!match || port < 1 || port > 65_535) throw new MalformedAddress(`has "${text}", which is no host and port`);
  return { host: decodeURIComponent(match[1]!).replaceAll(/^\[|\]$/g, '') || 'localhost', port };
}

const modes: Record<string, Encryption['mode']> = {
  disable: 'off',
  false: 'off',
  allow: 'preferred',
  prefer: 'preferred',
  require: 'required',
  true: 'required',
  'verify-ca': 'verified',
  'verify-full': 'verified',
};

/** Removes the parameters that the service handles itself. */
function readEncryption(parameters: URLSearchParams): Encryption {
  // As libpq: encrypted if the server offers it.
  const asked = parameters.get('sslmode') ?? parameters.get('ssl') ?? 'prefer';
  const authority = parameters.get('sslrootcert');
  const mode = authority === 'system' ? 'verified' : modes[asked];
  if (!mode) throw new MalformedAddress(`has sslmode=${asked}; there are ${Object.keys(modes).join(', ')}`);
  // The service looks for the primary in any case.
  for (const name of ['sslmode', 'ssl', 'sslrootcert', 'target_session_attrs']) parameters.delete(name);
  return {
    mode,
    ...(authority && authority !== 'system' && { ca: readAuthority(authority), caFile: authority }),
  };
}

function readAuthority(file: string): Buffer {
  try {
    const certificate = readFileSync(file);
    // TLS would silently trust nobody if it were none.
    void new X509Certificate(certificate);
    return certificate;
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    const reason = syscall ? `cannot be read (${code})` : 'contains no certificate (PEM)';
    throw new MalformedAddress(`has sslrootcert=${file}, which ${reason}`);
  }
}
