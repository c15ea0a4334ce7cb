/** Whether the server, and a pooler in front of it, let this node open all connections that it may need. */
import type { Sql } from '../../db/sql.ts';
import { parseAddress } from '../../db/sessions/address.ts';
import { readConnectionLimits } from '../../db/checks/connection-limit.ts';
import { errorCode } from '../../db/failures.ts';
import { openRoutedSession } from '../../db/sessions/pool.ts';
import { openRoute } from '../../db/sessions/route.ts';
import { okFinding, problemFinding, warningFinding, type Finding } from './finding.ts';

export async function checkConnections(sql: Sql, url: string, needed: number): Promise<Finding> {
  const limits = await readConnectionLimits(sql);
  const cureOf = (setting: string) =>
    `Raise ${setting}, or lower LEDGERLINE_DATABASE_CONNECTIONS and LEDGERLINE_EXPORTS.`;
  const low = limits.find(({ limit }) => needed > limit);
  if (low) {
    return problemFinding(
      'Connections',
      `this node may open ${needed}, and the server allows ${low.limit} (${low.setting}).`,
      cureOf(low.setting),
    );
  }
  const full = limits.find(({ limit, used, ownUsed }) => needed > limit - (used - ownUsed));
  if (full) {
    const others = full.used - full.ownUsed;
    return warningFinding(
      'Connections',
      `this node may open ${needed}, but others use ${others} of the ${full.limit} that the server allows (${full.setting}).`,
      cureOf(full.setting),
    );
  }
  // Other clients must not be refused because of a check.
  const tight = limits.find(({ limit, used }) => needed > limit - used);
  if (tight) return okFinding('Connections', `${tight.used} of ${tight.limit} are in use`);
  const { opened, cause } = await openAll(url, needed);
  if (cause === undefined) return okFinding('Connections', `all ${needed} that this node may open can be opened`);
  return warningFinding(
    'Connections',
    `only ${opened} of the ${needed} that this node may open could be opened in addition to those in use (${cause}).`,
    `A pooler needs a default_pool_size of at least ${needed} for this node, and as much for each further one ` +
      '(docs/production.md, "pgbouncer"). If the nodes are running now, their connections are among those in use.',
  );
}

/** Without a pool, which would work over the sessions that it gets. */
async function openAll(url: string, needed: number): Promise<{ opened: number; cause: string | undefined }> {
  const address = parseAddress(url);
  const options = { address, route: openRoute(address), statementSeconds: 5, mayScan: true };
  const sessions = await Promise.allSettled(Array.from({ length: needed }, () => openRoutedSession(options)));
  let opened = 0;
  let cause: string | undefined;
  for (const session of sessions) {
    if (session.status === 'rejected') cause ??= errorCode(session.reason);
    else {
      opened += 1;
      session.value.destroy();
    }
  }
  return { opened, cause };
}
