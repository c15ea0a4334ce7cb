/**
 * A load balancer as operators put it in front of two nodes: it keeps connections open, asks each node whether it is
 * ready, and retries nothing. A request that a node loses is a 502 here.
 */
import { once } from 'node:events';
import { Agent, createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const checkMilliseconds = 100;

interface Node {
  url: string;
  isReady: boolean;
  agent: Agent;
}

export interface Balancer {
  url: string;
  /** What went wrong between the balancer and a node. */
  failures: string[];
  readyUrls(): string[];
}

export async function startBalancer(urls: string[]): Promise<Balancer> {
  const nodes: Node[] = urls.map((url) => ({ url, isReady: false, agent: new Agent({ keepAlive: true }) }));
  const failures: string[] = [];
  let turn = 0;

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const ready = nodes.filter(({ isReady }) => isReady);
    const node = ready[turn++ % ready.length];
    if (!node) return fail(outgoing, 'no node is ready');
    const { connection: _, ...headers } = incoming.headers;
    const { agent, url } = node;
    const request = sendRequest(url + incoming.url, { method: incoming.method!, headers, agent }, (response) => {
      const { connection: __, ...received } = response.headers;
      outgoing.writeHead(response.statusCode!, received);
      response.pipe(outgoing);
      response.on('aborted', () => outgoing.destroy());
    });
    request.on('error', (error) => fail(outgoing, `${incoming.url}: ${error.message}`));
    incoming.pipe(request);
  }

  function fail(outgoing: ServerResponse, reason: string): void {
    failures.push(reason);
    if (!outgoing.headersSent) outgoing.writeHead(502).end(reason);
  }

  const server = createServer(forward);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const checks = nodes.map((node) => {
    const check = async () => (node.isReady = await isReady(node.url));
    let timer: NodeJS.Timeout | undefined;
    const again = () => (timer = setTimeout(() => void check().finally(again), checkMilliseconds));
    again();
    return () => clearTimeout(timer);
  });
  onTestFinished(() => {
    checks.forEach((stop) => stop());
    server.close();
    server.closeAllConnections();
    nodes.forEach(({ agent }) => agent.destroy());
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    readyUrls: () => nodes.filter((node) => node.isReady).map(({ url }) => url),
  };
}

/** On a connection of its own, as checks come. */
function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = sendRequest(`${url}/health/ready`, { agent: false, timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false));
    request.end();
  });
}
