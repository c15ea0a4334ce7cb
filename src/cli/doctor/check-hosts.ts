/** The hosts of a database URL that names several: the role of each, and which one the service uses. */
import type { Sql } from '../../db/sql.ts';
import { nameEndpoint, parseAddress, type DatabaseAddress, type DatabaseEndpoint } from '../../db/sessions/address.ts';
import { askHost } from '../../db/sessions/route.ts';
import { explainFault } from '../../db/checks/explain-failure.ts';
import { shareSessions } from '../../db/checks/pooler.ts';
import { readHosts, type Host, type HostState } from '../../db/checks/hosts.ts';
import { count } from '../progress.ts';
import { okFinding, problemFinding, warningFinding, type Finding } from './finding.ts';

/** Of `DATABASE_URL`. Nothing for a single host: whether it can be used is checked anyway. */
export async function checkHosts(url: string): Promise<Finding[]> {
  const address = parseAddress(url);
  if (address.endpoints.length === 1) return [];
  const hosts = await readHosts(address);
  const primaries = primariesOf(hosts);
  return hosts.map((host) => describeHost(host, primaries, address));
}

/** Of `DATABASE_READ_URL`. If none of them can be used, the primary answers. */
export async function checkReadHosts(readUrl: string, url: string): Promise<Finding[]> {
  const address = parseAddress(readUrl);
  const [hosts, written] = await Promise.all([readHosts(address), readHosts(parseAddress(url))]);
  const primary = primariesOf(written)[0]?.state;
  return Promise.all(hosts.map((host) => checkReadHost(host, address, primary)));
}

async function checkReadHost(
  { endpoint, state }: Host,
  address: DatabaseAddress,
  primary: HostState | undefined,
): Promise<Finding> {
  const name = `Read host ${nameEndpoint(endpoint)}`;
  const describeError = (error: unknown) => describeUnreachable(name, error, address, 'DATABASE_READ_URL');
  try {
    // First, since no other answer can be relied on behind such a pooler.
    if (await isPooled(address, endpoint)) {
      return warningFinding(
        name,
        'cannot be used: it is reached through a pooler in transaction or statement mode.',
        'Set pool_mode = session in the pooler, or name PostgreSQL itself in DATABASE_READ_URL.',
      );
    }
  } catch (error) {
    return describeError(error);
  }
  if ('error' in state) return describeError(state.error);
  if (primary && (state.databaseId !== primary.databaseId || isOldPrimary(state, primary))) {
    return warningFinding(
      name,
      `${state.isStandby ? 'standby' : 'primary'} of another database, or an old primary: the service does not use it.`,
      'Name standbys of the database of DATABASE_URL in DATABASE_READ_URL.',
    );
  }
  return okFinding(name, state.isStandby ? describeStandby(state, primary) : 'it is a primary');
}

function isPooled(address: DatabaseAddress, endpoint: DatabaseEndpoint): Promise<boolean> {
  const withSession = (ask: (sql: Sql) => Promise<boolean>) => askHost(address, endpoint, ask);
  return withSession((one) => withSession((other) => shareSessions(one, other)));
}

function isOldPrimary(state: HostState, primary: HostState): boolean {
  return !state.isStandby && state.timeline !== primary.timeline;
}

type KnownHost = Host & { state: HostState };

/** The newest first, which is the one that the service uses. */
function primariesOf(hosts: readonly Host[]): KnownHost[] {
  const isPrimary = (host: Host): host is KnownHost => 'timeline' in host.state && !host.state.isStandby;
  return hosts.filter(isPrimary).toSorted((a, b) => b.state.timeline - a.state.timeline);
}

function describeHost({ endpoint, state }: Host, primaries: readonly KnownHost[], address: DatabaseAddress): Finding {
  const name = `Host ${nameEndpoint(endpoint)}`;
  if ('error' in state) return describeUnreachable(name, state.error, address);
  const [used, second] = primaries;
  if (state.isStandby) return okFinding(name, describeStandby(state, used?.state));
  const text = `primary, timeline ${state.timeline}`;
  if (second && second.state.timeline === used!.state.timeline) {
    return problemFinding(
      name,
      `${text}, and it is not the only one.`,
      'Two primaries on one timeline have different data: stop the one that should not be a primary.',
    );
  }
  if (endpoint === used!.endpoint) return okFinding(name, `${text}; the service uses it`);
  return warningFinding(
    name,
    `${text}: an old primary, which the service does not use.`,
    `Make it a standby of ${nameEndpoint(used!.endpoint)} (pg_rewind), or stop it.`,
  );
}

function describeStandby(
  { timeline, position, secondsSinceChange }: HostState,
  primary: HostState | undefined,
): string {
  const text = `standby, timeline ${timeline}`;
  const change =
    secondsSinceChange === null ? '' : `; its last change is ${count(Math.round(secondsSinceChange))} s old`;
  if (!primary || position === null || primary.position === null) return `${text}${change}`;
  const kibibytes = Math.ceil(Math.max(0, primary.position - position) / 1024);
  return kibibytes === 0 ? `${text}, not behind` : `${text}, ${count(kibibytes)} KiB behind the primary${change}`;
}

/** Whether that is a problem depends on the other hosts. */
function describeUnreachable(
  name: string,
  error: unknown,
  address: DatabaseAddress,
  setting = 'DATABASE_URL',
): Finding {
  const { cause, cure } = explainFault(error, address);
  return warningFinding(name, `cannot be used: ${cause}.`, cure.replace('DATABASE_URL', setting));
}
