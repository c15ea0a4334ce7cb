/**
 * Resolves host names that callers chose. Node's own lookup occupies one of four threads until the name server answers,
 * and gateways, the database and files need the same threads: a few names with a silent name server would stop all
 * texts. So these names are looked up by c-ares, which waits on sockets, in the order of getaddrinfo: the hosts file,
 * then the name servers, with the search domains of resolv.conf.
 *
 * There is only one lookup of a host at a time, and a lookup that failed is not repeated immediately.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { readOptionalFile } from '../formats/read-optional-file.ts';
import { giveTime } from '../network/give-time.ts';
import { isLoopbackName } from './addresses.ts';

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** What the system has configured, unless a test says otherwise. */
export interface ResolverSources {
  /** Addresses with ports; those of the system if not given. */
  servers?: readonly string[];
  hostsFile?: string;
  resolvConf?: string;
}

interface Failure {
  error: Error;
  /** Times of the monotonic clock. */
  until: number;
  inRow: number;
}

/** For one name server. The second try waits twice as long. */
const tryMilliseconds = 700;
const tries = 2;
/** For a host as a whole, whatever the number of name servers and search domains. */
const limitMilliseconds = 3000;

/** After a failure. It doubles with each further failure. */
const pauseMilliseconds = 10_000;
const longestPauseMilliseconds = 60_000;
/** Larger than the number of hosts that endpoints can have. The oldest entries are removed. */
const maxFailures = 1000;

export function createResolver(sources: ResolverSources = {}): ResolveHost {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  const failures = new Map<string, Failure>();

  async function ask(host: string): Promise<readonly LookupAddress[]> {
    try {
      const addresses = await lookUp(host, sources);
      failures.delete(host);
      return addresses;
    } catch (error) {
      const inRow = (failures.get(host)?.inRow ?? 0) + 1;
      const pause = Math.min(longestPauseMilliseconds, pauseMilliseconds * 2 ** (inRow - 1));
      failures.delete(host);
      failures.set(host, { error: error as Error, until: performance.now() + pause, inRow });
      if (failures.size > maxFailures) failures.delete(failures.keys().next().value!);
      throw error;
    } finally {
      running.delete(host);
    }
  }

  return function resolveHost(host) {
    const failed = failures.get(host);
    if (failed && performance.now() < failed.until) return Promise.reject(failed.error);
    const known = running.get(host);
    if (known) return known;
    const asked = ask(host);
    running.set(host, asked);
    return asked;
  };
}

async function lookUp(host: string, sources: ResolverSources): Promise<LookupAddress[]> {
  const { servers, hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf' } = sources;
  const listed = findInHosts((await readOptionalFile(hostsFile)) ?? '', host);
  if (listed.length > 0) return listed;
  // RFC 6761, section 6.3: these names are never asked for.
  if (isLoopbackName(host)) return ['127.0.0.1', '::1'].map(asAddress);
  const names = namesToAsk(host, (await readOptionalFile(resolvConf)) ?? '');
  // A resolver of its own: c-ares stops asking a server that did not answer, and that must not concern other hosts.
  const resolver = new dns.Resolver({ timeout: tryMilliseconds, tries });
  if (servers) resolver.setServers(servers);
  return askServers(resolver, names);
}

async function askServers(resolver: dns.Resolver, names: readonly string[]): Promise<LookupAddress[]> {
  let isLate = false;
  let hasFailed = false;
  const endTimer = giveTime(limitMilliseconds, () => {
    isLate = true;
    resolver.cancel();
  });
  try {
    for (const name of names) {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length > 0) return found.map(asAddress);
      // The server of a search domain may fail, and that of the name itself may not.
      hasFailed ||= answers.some((answer) => answer.status === 'rejected' && !saysAbsent(answer.reason));
      if (isLate) break;
    }
    throw isLate || hasFailed
      ? failure('EAI_AGAIN', 'The name servers did not answer.')
      : failure('ENOTFOUND', 'The name does not exist.');
  } finally {
    endTimer();
  }
}

/** Whether the name has no such addresses, in contrast to an answer that did not come. */
function saysAbsent(error: NodeJS.ErrnoException): boolean {
  return error.code === dns.NOTFOUND || error.code === dns.NODATA;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function asAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}

/** Words of each line, without comments. */
function linesOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*$/, '')
      .split(/\s+/)
      .filter(Boolean),
  );
}

function findInHosts(text: string, host: string): LookupAddress[] {
  return linesOf(text)
    .filter(([address = '', ...names]) => isIP(address) && names.some((name) => name.toLowerCase() === host))
    .map(([address]) => asAddress(address!));
}

/** The host with the search domains, by the rules of resolv.conf(5): a name with few dots is first asked for with them. */
function namesToAsk(host: string, resolvConf: string): string[] {
  const lines = linesOf(resolvConf);
  const domains = lines.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? [];
  const option = lines.flatMap(([key, ...words]) => (key === 'options' ? words : []));
  const fewDots = Number(option.findLast((word) => word.startsWith('ndots:'))?.slice('ndots:'.length) ?? 1);
  const searched = domains.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 < fewDots ? [...searched, host] : [host, ...searched];
}
