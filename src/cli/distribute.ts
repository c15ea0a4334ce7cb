/** `ledgerline distribute`: places the tables of individuals on the nodes of a Citus. */
import { loadConfig } from '../config/load.ts';
import { distributeTables, type Distribution } from '../db/citus/citus.ts';
import { asOwnerError } from '../db/checks/explain-failure.ts';
import { StartError } from '../errors.ts';
import { withDatabaseUrl } from './database.ts';
import { count } from './progress.ts';

const maxShards = 4096;

export async function distribute({ shards }: { shards: string }): Promise<number> {
  const shardCount = Number(shards);
  if (!Number.isInteger(shardCount) || shardCount < 1 || shardCount > maxShards)
    throw new StartError(`--shards must be a whole number from 1 to ${maxShards}.`);
  await withDatabaseUrl(loadConfig(process.env), async (url) => {
    const done = await distributeTables(url, shardCount).catch((error: unknown) => {
      throw asOwnerError(error, url);
    });
    console.log(describe(done).join('\n'));
  });
  return 0;
}

function describe({ distributed, present, local, workers, shards }: Distribution): string[] {
  return [
    ...distributed.map(({ table, rows }) => `Distributed ${table}${rows > 0 ? `, with ${count(rows)} rows` : ''}.`),
    ...(present.length > 0 ? [`Distributed before: ${present.join(', ')}.`] : []),
    `On the coordinator: ${local.join(', ')}.`,
    workers > 0
      ? `${count(shards)} shards on ${count(workers)} ${workers === 1 ? 'worker' : 'workers'}.`
      : `${count(shards)} shards, all on the coordinator: no worker is registered (citus_add_node).`,
    'Back up the coordinator and every worker. The coordinator has every phone, every webhook and the ids of new users;',
    'DATABASE_URL must name it, and nodes that run must be started again. See docs/citus.md.',
  ];
}
