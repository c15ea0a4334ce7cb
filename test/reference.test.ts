import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateReference } from '../src/events/reference.ts';
import { updateRules } from '../src/guard/reference.ts';
import { catalogue } from '../src/errors.ts';
import type { OpenApiContent } from '../src/http/openapi/responses.ts';
import type { OpenApiDocument } from '../src/http/openapi/openapi.ts';
import { completeDocument } from '../src/http/routes/index.ts';
import { resolveResponse, violationsOf } from './harness/contract.ts';
import { version } from '../src/version.ts';
import { startService, type Service } from './harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('openapi.json', () => {
  it('is generated from the operations; `npm run generate` updates it', async () => {
    expect(await readFile(new URL('../openapi.json', import.meta.url), 'utf8')).toBe(completeDocument());
  });

  it('is served as it is committed', async () => {
    const answer = await service.call('/openapi.json', undefined, { method: 'GET', token: null });
    expect(answer.json).toEqual(JSON.parse(completeDocument()));
  });

  it('refers only to schemas, responses and examples that it contains', () => {
    const text = completeDocument();
    const { components } = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref": "#\/components\/(\w+)\/([\w-]+)"/g)];
    expect(new Set(references.map(([, kind]) => kind))).toEqual(new Set(['examples', 'responses', 'schemas']));
    for (const [, kind, name] of references) expect(components[kind!]).toHaveProperty(name!);
  });

  it('names the header that continues a stream', () => {
    const { paths } = JSON.parse(completeDocument()) as OpenApiDocument;
    const { parameters } = paths['/operator/messages/live']!.get!;
    expect(parameters).toMatchObject([{ name: 'Last-Event-ID', in: 'header', required: false }]);
  });

  it('contains every path of the contract', () => {
    const { paths } = JSON.parse(completeDocument());
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/User',
        '/User/phone-number/send-code',
        '/User/phone-number/verify',
        '/User/{id}/status',
        '/User/{id}/phone-number/resend-code',
        '/User/{id}/phone-number',
        '/app/get-all-transactions',
        '/app/get-transaction',
        '/app/record-transactions',
        '/events',
        '/connect/token',
        '/.well-known/jwks.json',
        '/.well-known/openid-configuration',
        '/health/live',
        '/health/ready',
        '/metrics',
        '/openapi.json',
        '/docs',
        '/sandbox/messages',
        '/sandbox/clock',
        '/sandbox/data',
      ]),
    );
  });
});

it('docs/events.md contains the catalogue; `npm run generate` updates it', async () => {
  const page = await readFile(new URL('../docs/events.md', import.meta.url), 'utf8');
  expect(updateReference(page)).toBe(page);
});

it('docs/abuse.md contains the rules; `npm run generate` updates it', async () => {
  const page = await readFile(new URL('../docs/abuse.md', import.meta.url), 'utf8');
  expect(updateRules(page)).toBe(page);
});

describe('what the reference shows', () => {
  const document = JSON.parse(completeDocument()) as OpenApiDocument & { tags: { description?: string }[] };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );

  /** The value of a shared example; undefined if it is missing. */
  const valueOf = ({ $ref }: { $ref: string }) => document.components.examples[$ref.split('/').at(-1)!]?.value;

  it('short titles, each for one operation', () => {
    const titles = operations.map(({ operation }) => operation.summary);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    expect(titles.filter((title) => title.length > 32)).toEqual([]);
  });

  it('an introduction of every tag, and a guide to authentication and errors', () => {
    for (const tag of document.tags) expect(tag).toHaveProperty('description');
    expect(document.info.description).toContain('## Authentication');
    for (const reason of Object.keys(catalogue)) expect(document.info.description).toContain(`\`${reason}\``);
  });

  it.each(operations)('$name: an example of every body, which fits its schema', ({ operation }) => {
    const bodies = [operation.requestBody, ...Object.values(operation.responses).map(resolveResponse)];
    for (const [type, content] of bodies.flatMap((body) => Object.entries<OpenApiContent>(body?.content ?? {}))) {
      if (['text/html', 'text/plain', 'application/pdf'].includes(type)) continue;
      const values = content.examples ? Object.values(content.examples).map(valueOf) : [content.example];
      for (const value of values) {
        expect([type, value]).not.toEqual([type, undefined]);
        expect([value, violationsOf(content.schema, value)]).toEqual([value, []]);
      }
    }
  });
});

describe('/health and /metrics', () => {
  it('answer without a token', async () => {
    const get = (path: string) => service.call(path, undefined, { method: 'GET', token: null });
    expect((await get('/health/live')).json).toEqual({ status: 'live', version });
    // The tests before keep this process, and with it the service's look at its database, busy for seconds.
    await expect.poll(async () => (await get('/health/ready')).json).toEqual({ status: 'ready', version });
    await service.createUser();
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(metrics.text).toMatch(
      /ledgerline_http_request_duration_seconds_count\{operation="create-user",status="201"\} [1-9]/,
    );
    expect(metrics.text).toContain('ledgerline_database_up 1');
  });
});
