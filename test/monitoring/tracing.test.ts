/** Traces: spans at our seams, the caller's trace continued in and out, and nothing personal in any of them. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newPhone, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(answer: (request: IncomingMessage, body: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(answer(request, await readAll(request)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A collector that decodes OTLP in its JSON form. */
async function startCollector() {
  const spans: ReceivedSpan[] = [];
  const resources: Attribute[] = [];
  const texts: string[] = [];
  const url = await listen((_, body) => {
    texts.push(body);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
    };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    resources.push(...resourceSpans.flatMap(({ resource }) => resource.attributes));
    return '{}';
  });
  return { url, spans, texts, resources };
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

it('a send is one trace: the caller’s, the request, the statements, the gateway', async () => {
  const collector = await startCollector();
  const traceparents: string[] = [];
  const gateway = await listen((request) => {
    traceparents.push(String(request.headers.traceparent));
    return '{"id":"m1"}';
  });
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50');
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = await serviceForTest({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    LEDGERLINE_GATEWAYS: 'webhook',
    LEDGERLINE_WEBHOOK_URL: gateway,
    LEDGERLINE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const id = await service.createUser();
  const phoneNumber = newPhone();
  const answer = await service.call(
    '/User/phone-number/send-code',
    { id, phoneNumber },
    { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
  );
  expect(answer.status).toBe(204);
  await until(() => collector.spans.some((span) => span.traceId === traceId && span.kind === 2));
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const request = spans.find(({ kind }) => kind === 2)!;
  expect(request).toMatchObject({ name: 'POST /User/phone-number/send-code', parentSpanId: '00f067aa0ba902b7' });
  const values = Object.fromEntries(
    request.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
  expect(values).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/User/phone-number/send-code',
    'http.response.status_code': 204,
  });
  await until(() => collector.spans.some(({ name }) => name === 'sms webhook'));
  const names = collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['phone.reserveSend', 'sms webhook']));
  expect(traceparents[0]).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  for (const text of collector.texts) {
    expect(text).not.toContain(phoneNumber.slice(1));
    expect(text).not.toMatch(/user_?id/i);
  }
});

it('a webhook has a span, which its receiver can continue', async () => {
  const collector = await startCollector();
  const traceparents: string[] = [];
  const receiver = await listen((request) => {
    traceparents.push(String(request.headers.traceparent));
    return '{}';
  });
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50');
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = await serviceForTest({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const url = `${receiver}/hooks/path-secret`;
  const { json } = await service.call('/webhook-endpoints', { url, types: ['user.created'] });
  await service.createUser();
  await service.call(`/webhook-endpoints/${json.id}/test`);
  const webhooks = () => collector.spans.filter(({ name }) => name === 'webhook');
  await until(() => webhooks().length === 2 && traceparents.length === 2);
  expect(traceparents.toSorted()).toEqual(
    webhooks()
      .map((span) => `00-${span.traceId}-${span.spanId}-01`)
      .toSorted(),
  );
  for (const text of collector.texts) expect(text).not.toContain('path-secret');
});

it('jobs that find nothing to do make no spans, and those that do make one', async () => {
  const collector = await startCollector();
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50');
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = await serviceForTest({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const runs = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const counts = metrics.match(/^ledgerline_job_runs_total\{.*\} \d+$/gm) ?? [];
    return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const jobSpans = () => collector.spans.filter(({ name }) => name.startsWith('job '));
  await until(async () => (await runs()) > 40);
  // These delete what has expired, every ten seconds in one process, and do not count what they deleted.
  const cleaning = ['job guard-sweep', 'job webhook-maintenance'];
  expect(jobSpans().filter(({ name }) => !cleaning.includes(name))).toEqual([]);
  await service.createUser();
  await until(() => jobSpans().some(({ name }) => name === 'job event-sequencer'));
  const job = jobSpans().find(({ name }) => name === 'job event-sequencer')!;
  const statements = collector.spans.filter(({ parentSpanId }) => parentSpanId === job.spanId);
  expect(statements.map(({ name }) => name)).toContain('events.sequenceEvents');
  const ids = collector.resources.filter(({ key }) => key === 'service.instance.id');
  expect(new Set(ids.map(({ value }) => value.stringValue)).size).toBe(1);
});

it('is off without an endpoint: a request keeps the caller’s trace and nothing is sent', async () => {
  const service = await serviceForTest();
  const answer = await service.call(
    '/User/phone-number/verify',
    { id: 1, code: '' },
    { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
  );
  expect(answer.json.traceId).toMatch(new RegExp(`^00-${traceId}-`));
});

it('the benchmark can take tracing out of the built service', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const script = "const { createServer } = await import('./dist/http/server.js'); console.log(typeof createServer);";
  const args = ['--import', './bench/tracing-seam.js', '--input-type=module', '--eval', script];
  const env = { ...process.env, TRACING_SEAM: 'removed' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  expect(stdout).toBe('function\n');
});
