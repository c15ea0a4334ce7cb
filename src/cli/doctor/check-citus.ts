/** The nodes of a Citus: reachable, and with the settings that commits over several nodes and moves of shards need. */
import type { Sql } from '../../db/sql.ts';
import { readNodeSettings, type CitusNode } from '../../db/citus/citus.ts';
import { okFinding, problemFinding, type Finding } from './finding.ts';

/** Nothing if no table is distributed. */
export async function checkCitus(sql: Sql): Promise<Finding[]> {
  const nodes = await readNodeSettings(sql);
  return nodes.length > 0 ? judgeNodes(nodes) : [];
}

export function judgeNodes(nodes: readonly CitusNode[]): Finding[] {
  const problems = nodes.flatMap(problemsOf);
  return problems.length > 0 ? problems : [okFinding('Citus', `${nodes.length} nodes, all reachable`)];
}

function problemsOf({ name, settings }: CitusNode): Finding[] {
  const problem = (text: string, cure: string) => problemFinding('Citus', text, cure);
  if (!settings) return [problem(`The coordinator cannot reach ${name}.`, 'Start it, or check pg_hba.conf there.')];
  const { walLevel, preparedTransactions, synchronousCommit } = settings;
  const found: Finding[] = [];
  if (walLevel !== 'logical')
    found.push(
      problem(
        `${name} has wal_level = ${walLevel}: a rebalance would fail and be tried again for ever.`,
        'Set wal_level = logical there, and start it again.',
      ),
    );
  if (preparedTransactions === 0)
    found.push(
      problem(
        `${name} has max_prepared_transactions = 0: a commit over several nodes fails.`,
        'Set it to max_connections there, and start it again.',
      ),
    );
  if (synchronousCommit === 'off')
    found.push(
      problem(
        `${name} has synchronous_commit = off: the move of a shard may lose rows whose recording was answered.`,
        'Set synchronous_commit = on there, and reload its configuration.',
      ),
    );
  return found;
}
