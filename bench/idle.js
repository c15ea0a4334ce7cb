/**
 * What a node costs while nobody uses it: processor time of its processes, and transactions in the database. It has a
 * webhook endpoint, so that all of its jobs run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMicroseconds, round } from './harness.js';

/** After this time the pauses of all jobs have reached their length. */
const settleSeconds = 75;
const longSeconds = 60;
const quickSeconds = 40;

/** Each statement of a job is a transaction of its own. Ours to read the figure are not counted. */
async function transactionsOf(sql) {
  const [row] = await sql`
    select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()`;
  return row.count;
}

async function createEndpoint(url) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'sandbox',
    client_secret: 'sandbox',
  });
  const answer = await fetch(`${url}/connect/token`, { method: 'POST', body: form });
  const { access_token: token } = await answer.json();
  const created = await fetch(`${url}/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://127.0.0.1:9/hook', types: ['operator.acted'] }),
  });
  if (created.status !== 201) throw new Error(`No endpoint: ${created.status}`);
}

async function measureIdle(bench, processes, seconds) {
  const server = await bench.service({ LEDGERLINE_PROCESSES: String(processes) });
  await createEndpoint(server.url);
  await sleep(settleSeconds * 1000);
  const before = [cpuMicroseconds(server.pid), await transactionsOf(bench.sql), performance.now()];
  await sleep(seconds * 1000);
  const after = [cpuMicroseconds(server.pid), await transactionsOf(bench.sql), performance.now()];
  await server.stop();
  const elapsed = (after[2] - before[2]) / 1000;
  return {
    percent: round((after[0] - before[0]) / 10_000 / elapsed, 2),
    // One is the read of the figure itself.
    statements: round((after[1] - before[1] - 1) / elapsed, 2),
  };
}

export async function benchIdle(bench, { quick }) {
  const rows = [];
  for (const processes of [1, 2]) {
    const figures = await measureIdle(bench, processes, quick ? quickSeconds : longSeconds);
    rows.push({ what: processes === 1 ? 'one process' : `${processes} processes and their primary`, ...figures });
  }
  return {
    title: 'A node that nobody uses',
    columns: { percent: '% of a core', statements: 'statements a second' },
    rows,
    goals: rows.flatMap(({ what, percent, statements }) => [
      { what: `% of a core for an idle node, ${what}`, is: percent, most: 0.5 },
      { what: `statements a second of an idle node, ${what}`, is: statements, most: 2 },
    ]),
  };
}
