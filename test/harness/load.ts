/** Steady load over connections that are kept open, which notes every answer that is not the expected one. */
import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { httpRequest } from './http-request.ts';
import { row } from './service.ts';
import { sized } from './size.ts';

export interface Reply {
  status: number;
  connection: string | null;
  /** Why it failed. */
  reason?: string;
}

export async function callOver(
  agent: Agent,
  url: string,
  options: { token?: string; body?: unknown } = {},
): Promise<Reply> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const { status, headers } = await httpRequest(url, {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(options.token && { authorization: `Bearer ${options.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const reason = headers.get('error-reason');
  return { status, connection: headers.get('connection'), ...(reason !== null && { reason }) };
}

export type Load = ReturnType<typeof startLoad>;

/** Between two requests of a lane. Without it the load would take both cores from all other tests. */
const pauseMilliseconds = sized(100, 0);

/** One request at a time on each lane, until it is stopped. */
export function startLoad(url: string, token: string, individualId: number, lanes: number) {
  const agent = new Agent({ keepAlive: true });
  const unexpected: string[] = [];
  let answered = 0;
  let isStopped = false;
  const requests = [
    { path: '/User', body: () => ({}), status: 201 },
    { path: '/app/get-all-transactions', body: () => ({ individualId, dataBatch: 1 }), status: 200 },
    { path: '/app/record-transactions', body: () => ({ transactions: [row(individualId)] }), status: 200 },
  ];
  async function lane(first: number): Promise<void> {
    for (let index = first; !isStopped; index += 1) {
      const { path: pathname, body, status } = requests[index % requests.length]!;
      const reply = await callOver(agent, url + pathname, { token, body: body() }).catch((error: Error) => error);
      if (reply instanceof Error) unexpected.push(`${pathname}: ${reply.message}`);
      else if (reply.status !== status) unexpected.push(`${pathname}: ${reply.status} ${reply.reason}`);
      answered += 1;
      if (pauseMilliseconds > 0) await setTimeout(pauseMilliseconds);
    }
  }
  const running = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return {
    unexpected,
    get answered() {
      return answered;
    },
    async stop() {
      isStopped = true;
      await running;
      agent.destroy();
    },
  };
}
