import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkMode } from '../../src/config/check.ts';
import { loadConfig } from '../../src/config/load.ts';
import { httpRequest } from '../harness/http-request.ts';
import { serviceForTest, startService, type Service } from '../harness/service.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const get = (pathname: string, headers: Record<string, string> = {}) =>
  service.call(pathname, undefined, { method: 'GET', token: null, headers });

/** As it goes over the wire; fetch would unpack it. */
async function raw(pathname: string): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  const { headers, bytes } = await httpRequest(service.url + pathname, { headers: { 'accept-encoding': 'gzip, br' } });
  return { encoding: headers.get('content-encoding') ?? undefined, bytes };
}

/** What a page's HTML asks for. */
async function filesOf(pathname: string): Promise<string[]> {
  const { text } = await get(pathname);
  return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
}

describe.each(['/', '/wallet', '/console'])('the page %s', (pathname) => {
  it('has a policy that forbids inline scripts and other hosts', async () => {
    const { status, headers, text } = await get(pathname);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*|data:/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(text.replace(`${service.url}/docs/images/wallet.png`, '')).not.toMatch(
      /<script(?![^>]*src=)|<style|style="|https?:\/\//,
    );
    expect(text).toContain('data-mode="sandbox"');
  });

  it('has an icon, and says what a link to it shows: title, description and a picture', async () => {
    const { text } = await get(pathname);
    expect(text).toMatch(/<link rel="icon" href="[^"]+"/);
    const preview = Object.fromEntries(
      [...text.matchAll(/<meta property="og:(\w+)" content="([^"]+)"/g)].map(([, name, value]) => [name, value]),
    );
    expect(text).toContain(`<title>${preview.title}</title>`);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`<meta name="description" content="${preview.description}"`);
    const picture = await fetch(preview.image);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('is revalidated each time, and sent only if it changed', async () => {
    const { headers } = await get(pathname);
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await get(pathname, { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('loads files with a hash in their names, cached forever and compressed', async () => {
    const files = await filesOf(pathname);
    expect(files.some((file) => file.endsWith('.js'))).toBe(true);
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.(js|css|svg)$/);
      const { status, headers, text } = await get(file, { 'accept-encoding': 'identity' });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('content-encoding')).toBeNull();
      const packed = await raw(file);
      expect(packed.encoding).toBe('br');
      expect(brotliDecompressSync(packed.bytes).toString()).toBe(text);
    }
  });
});

async function scriptsOf(pathname: string): Promise<{ bytes: number; texts: string[] }> {
  const scripts = (await filesOf(pathname)).filter((file) => file.endsWith('.js'));
  const sizes = await Promise.all(scripts.map(async (file) => (await stat(path.join(built, `${file}.br`))).size));
  const texts = await Promise.all(scripts.map((file) => readFile(path.join(built, file), 'utf8')));
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), texts };
}

it.each([
  ['/wallet', 50],
  ['/console', 120],
])('the scripts of %s take less than %d KB', async (pathname, kilobytes) => {
  const { bytes } = await scriptsOf(pathname);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(kilobytes * 1024);
});

it('the activity screen contains nothing for operators, and loads nothing later but the number of a sandbox', async () => {
  const { texts } = await scriptsOf('/wallet');
  for (const text of texts) expect(text.includes('/operator/')).toBe(false);
  const later = texts.flatMap((text) => [...text.matchAll(/\bimport\(([^)]*)\)/g)].map(([, address]) => address));
  const languages = later.filter((name = '') => /\/[a-z]{2}-[\w-]+\.js/.test(name));
  expect(new Set(languages).size).toBe(7);
  expect(later.filter((name) => !languages.includes(name))).toEqual([expect.stringContaining('number-dialog')]);
});

/** What a page loads at once or later: files are named by a hash, so each name that another file has is one. */
async function everyFileOf(pathname: string): Promise<string[]> {
  const files = (await filesOf(pathname)).filter((file) => file.startsWith('/assets/'));
  for (const file of files) {
    const text = await readFile(path.join(built, file), 'utf8');
    for (const [name] of text.matchAll(/(?<=["/])[\w-]+-[\w-]{8}\.(?:js|css)\b/g)) {
      if (!files.includes(`/assets/${name}`)) files.push(`/assets/${name}`);
    }
  }
  return files;
}

describe('which pages are served', () => {
  it('only those that are configured', async () => {
    const some = await serviceForTest({ LEDGERLINE_PAGES: 'wallet' });
    const of = (pathname: string) => some.call(pathname, undefined, { method: 'GET', token: null });
    expect((await of('/wallet')).status).toBe(200);
    expect((await of('/')).status).toBe(404);
    // Nor what only the others load.
    const own = [...(await everyFileOf('/wallet')), ...(await everyFileOf('/docs'))];
    for (const file of await filesOf('/console')) {
      expect([file, (await of(file)).status]).toEqual([file, own.includes(file) ? 200 : 404]);
    }
  });

  it('none in production unless configured, and never that of the sandbox', () => {
    expect(loadConfig({ MODE: 'production' }).pages).toEqual([]);
    expect(loadConfig({}).pages).toContain('sandbox');
    expect(() => loadConfig({ LEDGERLINE_PAGES: 'walet' })).toThrow(/LEDGERLINE_PAGES has the page "walet"/);
    const config = loadConfig({ MODE: 'production', LEDGERLINE_PAGES: 'sandbox' });
    expect(() => checkMode(config)).toThrow(/LEDGERLINE_PAGES names the page sandbox/);
  });

  it('only files that were built', async () => {
    for (const pathname of ['/assets/', '/assets/../../package.json', '/assets/%2e%2e/index.html', '/index.html']) {
      expect([pathname, (await get(pathname)).status]).toEqual([pathname, 404]);
    }
    expect((await service.call('/wallet', {}, { method: 'POST' })).status).toBe(405);
  });
});

describe('an address without a page', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it('shows a browser a page that says where to look', async () => {
    const { status, headers, text } = await get('/nowhere', browser);
    expect([status, headers.get('error-reason')]).toEqual([404, 'not-found']);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(text).toContain('<a href="/docs">');
  });

  it('answers programs, other methods, and operations that do not find something with problem details', async () => {
    const post = service.call('/nowhere', {}, { method: 'POST', token: null, headers: browser });
    for (const answer of [get('/nowhere'), get('/nowhere', { accept: '*/*' }), post]) {
      expect((await answer).headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    }
    const unknown = await service.call('/User/2000000000/status', undefined, { method: 'GET', headers: browser });
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  });
});
