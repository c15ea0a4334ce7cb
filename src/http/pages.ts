/** The built pages: read once at the start, and sent as they are. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import type { Mode } from '../config/kinds.ts';
import type { PageName } from '../config/settings/server.ts';
import type { Reply, Request } from './operation.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));

const htmlFiles: Record<PageName, string> = { sandbox: 'index.html', wallet: 'wallet.html', console: 'console.html' };

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Everything from our own origin, no inline script or style, no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

export interface StaticFile {
  path: string;
  reply(request: Request): Reply;
}

export interface Pages {
  /** The HTML of each page. Empty if the pages have not been built. */
  html: Partial<Record<PageName, StaticFile>>;
  /** The files that the pages load, with a hash in their names. */
  assets: StaticFile[];
}

export async function readPages(names: readonly PageName[], mode: Mode): Promise<Pages> {
  const files = await readdir(path.join(built, 'assets')).catch((): string[] => []);
  if (names.length === 0 || files.length === 0) return { html: {}, assets: [] };
  const html = await Promise.all(names.map(async (name) => [name, await readHtml(name, mode)] as const));
  const assets = await loadedBy(
    names.map((name) => path.join(built, htmlFiles[name])),
    files.filter((name) => !name.endsWith('.br')),
  );
  return { html: Object.fromEntries(html), assets: await Promise.all(assets.map(readAsset)) };
}

/** The files that the pages load, directly or through other files. Files of pages that are not served are left out. */
async function loadedBy(pages: string[], assets: string[]): Promise<string[]> {
  const wanted = new Set<string>();
  const files = [...pages];
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const name of assets) {
      if (wanted.has(name) || !text.includes(name)) continue;
      wanted.add(name);
      files.push(path.join(built, 'assets', name));
    }
  }
  return [...wanted];
}

async function readHtml(name: PageName, mode: Mode): Promise<StaticFile> {
  const file = path.join(built, htmlFiles[name]);
  // The page needs to know whether the service is a sandbox.
  const text = Buffer.from((await readFile(file, 'utf8')).replace('data-mode=""', `data-mode="${mode}"`));
  return staticFile(name, '.html', text, brotliCompressSync(text), { 'cache-control': 'no-cache', ...pageHeaders });
}

async function readAsset(name: string): Promise<StaticFile> {
  const file = path.join(built, 'assets', name);
  const [plain, packed] = await Promise.all([readFile(file), readFile(`${file}.br`)]);
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
  return staticFile(`/assets/${name}`, path.extname(name), plain, packed, headers);
}

function staticFile(
  address: string,
  extension: string,
  plain: Buffer,
  packed: Buffer,
  more: Record<string, string>,
): StaticFile {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff', ...more };
  const contentType = mediaTypes[extension] ?? 'application/octet-stream';
  return {
    path: address,
    reply({ headers: asked }) {
      if (asked['if-none-match'] === etag) return { status: 304, headers };
      const brotli = /\bbr\b/.test(asked['accept-encoding'] ?? '');
      return brotli
        ? { status: 200, body: packed, contentType, headers: { ...headers, 'content-encoding': 'br' } }
        : { status: 200, body: plain, contentType, headers };
    },
  };
}
