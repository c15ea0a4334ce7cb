import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateReference } from '../src/events/reference.ts';
import { updateRules } from '../src/guard/reference.ts';
import { completeDocument } from '../src/http/routes/index.ts';
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

  it('refers only to schemas that it contains', () => {
    const text = completeDocument();
    const { components } = JSON.parse(text);
    for (const [, name] of text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g))
      expect(components.schemas).toHaveProperty(name!);
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

describe('/docs', () => {
  it('shows every operation on a page that loads nothing from other hosts', async () => {
    const answer = await service.call('/docs', undefined, { method: 'GET', token: null });
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const { paths } = JSON.parse(completeDocument());
    for (const path of Object.keys(paths)) expect(answer.text).toContain(`<code>${path}</code>`);
    expect(answer.text).not.toMatch(/<script|src="http|href="http/);
  });
});

describe('/health and /metrics', () => {
  it('answer without a token', async () => {
    const get = (path: string) => service.call(path, undefined, { method: 'GET', token: null });
    expect((await get('/health/live')).json).toEqual({ status: 'live' });
    expect((await get('/health/ready')).json).toEqual({ status: 'ready' });
    await service.createUser();
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(metrics.text).toMatch(
      /ledgerline_http_request_duration_seconds_count\{operation="create-user",status="201"\} [1-9]/,
    );
    expect(metrics.text).toContain('ledgerline_database_up 1');
  });
});
