/**
 * Restarts of two nodes in turn, and a failover of their database, behind the proxies of deploy/: no request is lost, and
 * every refusal is a 503 with Retry-After. `TEST_SIZE=full npx vitest run test/deploy/rolling-restarts.test.ts` does it at
 * full length and prints the table of docs/reliability.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { reservePort } from '../harness/reserve-port.ts';
import { ServiceProcess } from '../harness/process.ts';
import { proxyKinds, startProxy, type Proxy } from '../harness/servers/proxies.ts';
import { startReplicated } from '../harness/servers.ts';
import { row } from '../harness/service.ts';
import { isFull, sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const restarts = isFull ? 12 : 2;
const requestsPerSecond = isFull ? 100 : 50;
/** Two processes behind the first proxy that is installed; in full size every pair. */
const pairs = (isFull ? proxyKinds : [proxyKinds.find(({ isInstalled }) => isInstalled) ?? proxyKinds[0]!]).flatMap(
  (kind) => sized([2], [1, 2]).map((processes) => ({ ...kind, kind, processes })),
);

/** By outcome, and the reasons of what was lost. */
interface Tally {
  answered: number;
  refused: number;
  lost: string[];
}

/** Sends at fixed times, whatever becomes of the requests before. The connections are kept, as those of a back end. */
function startSteadyLoad(proxy: Proxy, token: string, individualId: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const tally: Tally = { answered: 0, refused: 0, lost: [] };
  const requests = [
    { path: '/User', body: () => ({}), status: 201 },
    { path: '/app/get-all-transactions', body: () => ({ individualId, dataBatch: 1 }), status: 200 },
    { path: '/app/record-transactions', body: () => ({ transactions: [row(individualId)] }), status: 200 },
    { path: `/User/${individualId}/status`, body: undefined, status: 200 },
  ];
  let sent = 0;
  let settled = 0;

  function send(): void {
    const { path: pathname, body, status: expected } = requests[sent % requests.length]!;
    sent += 1;
    const outgoing = proxy.open(
      body ? 'POST' : 'GET',
      pathname,
      { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      agent,
    );
    let outcome: 'answered' | 'refused' | Error = new Error('no answer');
    const fail = (error: Error) => (outcome = error);
    outgoing.on('error', fail).on('response', (response) => {
      const { statusCode: status, headers } = response;
      response.resume().on('error', fail);
      response.on('end', () => {
        if (status === expected) outcome = 'answered';
        else if (status === 503 && Number(headers['retry-after']) > 0) outcome = 'refused';
        else outcome = new Error(`status ${status}`);
      });
    });
    outgoing.on('close', () => {
      settled += 1;
      if (outcome instanceof Error) tally.lost.push(`${pathname}: ${outcome.message}`);
      else tally[outcome] += 1;
    });
    outgoing.end(body && JSON.stringify(body()));
  }

  const begun = performance.now();
  const timer = setInterval(() => {
    // A timer that is late makes up for it.
    while (sent < ((performance.now() - begun) / 1000) * requestsPerSecond) send();
  }, 1000 / requestsPerSecond);
  // Also if the test fails before it stops the load.
  onTestFinished(() => clearInterval(timer));
  return {
    tally,
    get sent() {
      return sent;
    },
    async stop() {
      clearInterval(timer);
      await until(() => settled === sent);
      agent.destroy();
    },
  };
}

const table: string[] = [];
afterAll(() => {
  if (isFull) console.info(table.join('\n'));
});

describe.each(pairs)('$name, nodes of $processes process(es)', ({ kind, name, processes, isInstalled }) => {
  it.skipIf(!isInstalled)(
    'loses no request in restarts and a failover, and refuses with 503 and Retry-After',
    { timeout: 1_200_000 },
    async () => {
      const servers = await startReplicated(true);
      onTestFinished(servers.stop);
      const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-rolling-'));
      onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
      const port = await reservePort();
      const ports: [number, number] = [await reservePort(), await reservePort()];
      const start = async (index: number) => {
        const node = await new ServiceProcess({
          DATABASE_URL: `postgres://postgres@127.0.0.1:${servers.primary.port},127.0.0.1:${servers.standby.port}/ledgerline`,
          DATA_DIR: dataDir,
          PORT: String(ports[index]),
          PUBLIC_URL: `https://localhost:${port}`,
          LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
          LEDGERLINE_PROCESSES: String(processes),
          LEDGERLINE_DATABASE_CONNECTIONS: '8',
          LEDGERLINE_DRAIN_SECONDS: '4',
        }).ready();
        node.url = `http://127.0.0.1:${ports[index]}`;
        return node;
      };
      const nodes = [await start(0), await start(1)];
      const token = await nodes[0]!.token();
      const { json: user } = await nodes[0]!.call('POST', '/User', token, {});
      await nodes[0]!.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
      const proxy = await startProxy(kind, port, ports);
      onTestFinished(proxy.stop);
      const load = startSteadyLoad(proxy, token, user.id);
      const { tally } = load;
      const untilMoreAnswered = (count: number) => {
        const before = tally.answered;
        return until(() => tally.answered > before + count);
      };

      await untilMoreAnswered(requestsPerSecond);
      for (let restart = 0; restart < restarts; restart += 1) {
        const index = restart % 2;
        expect(await nodes[index]!.end('SIGTERM')).toBe(0);
        nodes[index] = await start(index);
        expect(tally.lost, proxy.errors).toEqual([]);
      }
      await untilMoreAnswered(requestsPerSecond);
      await servers.primary.crash();
      const refusedBefore = tally.refused;
      await until(() => tally.refused > refusedBefore + requestsPerSecond);
      await servers.standby.promote();
      await untilMoreAnswered(3 * requestsPerSecond);
      await load.stop();
      expect(tally.lost, proxy.errors).toEqual([]);
      expect(tally.answered + tally.refused).toBe(load.sent);
      table.push(
        `| ${name} | ${processes} | ${restarts} | ${load.sent} | ${tally.answered} | ${tally.refused} | ${tally.lost.length} |`,
      );
      for (const node of nodes) await node.end('SIGTERM');
    },
  );
});
