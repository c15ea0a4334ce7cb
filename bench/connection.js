/** How the servers that the service is measured beside connect: by the same driver, with the service's session settings. */
import pg from 'pg';
import { createSql } from '../dist/db/sql.js';
import { columnTypes } from '../dist/db/sessions/column-types.js';

const common = {
  search_path: 'ledgerline',
  timezone: 'UTC',
  statement_timeout: 60_000,
  plan_cache_mode: 'force_generic_plan',
};

/** As many connections, used in turn. Statements are prepared and pipelined. */
export async function openConnections(url, count, settings = {}) {
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client({ connectionString: url, pipeline: true, types: columnTypes });
      await client.connect();
      for (const [name, value] of Object.entries({ ...common, ...settings })) {
        await client.query(`set ${name} = '${value}'`);
      }
      return client;
    }),
  );
  const names = new Map();
  let turn = 0;
  return createSql(async ({ text, values }) => {
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    turn = (turn + 1) % count;
    const { rows, rowCount } = await clients[turn].query({ name, text, values });
    return Object.assign(rows, { count: rowCount });
  });
}
