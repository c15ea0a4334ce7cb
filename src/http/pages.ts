/** The built pages: read once at the start, and sent unchanged. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { PageName } from '../config/settings/server.ts';
import type { Mode } from '../formats/setting-kinds.ts';
import { packageRoot } from '../package-root.ts';
import type { Reply, Request } from './operation.ts';

const built = fileURLToPath(new URL('dist/web/', packageRoot));

const htmlFiles: Record<PageName, string> = { sandbox: 'index.html', wallet: 'wallet.html', console: 'console.html' };

const referenceFile = 'docs.html';

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Everything from our own origin, no inline script or style, no framing. The page with the form to verify a phone has
 * one policy for trusted types, which lets it start the worker that solves challenges. The console may send requests to
 * the identity provider too.
 */
const policyOf = (name: PageName, signIn: ConsoleSignIn | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${signIn ? ` ${new URL(signIn.issuer).origin}` : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    name === 'sandbox' ? 'trusted-types default' : "trusted-types 'none'",
  ].join('; ');

const pageHeaders = (name: PageName, signIn: ConsoleSignIn | undefined) => ({
  'cache-control': 'no-cache',
  'content-security-policy': policyOf(name, signIn),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});

const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' };

export interface StaticFile {
  path: string;
  reply(request: Request): Reply | Promise<Reply>;
}

/** Where operators sign in to the console, if they do not paste a token. */
export interface ConsoleSignIn {
  issuer: string;
  clientId: string;
  audience: string;
}

export interface Pages {
  /** The HTML of each page. Empty if the pages have not been built. */
  html: Partial<Record<PageName, StaticFile>>;
  /** The HTML of the API reference, which every mode serves. Undefined if the pages have not been built. */
  reference: string | undefined;
  /** The files that the pages load, with a hash or a version in their names. */
  assets: StaticFile[];
}

export async function readPages(names: readonly PageName[], mode: Mode, signIn?: ConsoleSignIn): Promise<Pages> {
  const files = await readdir(path.join(built, 'assets')).catch((): string[] => []);
  if (files.length === 0) return { html: {}, reference: undefined, assets: [] };
  const html = await Promise.all(
    names.map(async (name) => [name, await readHtml(name, mode, name === 'console' ? signIn : undefined)] as const),
  );
  const htmlNames = [...names.map((name) => htmlFiles[name]), referenceFile];
  const assets = await loadedBy(
    htmlNames.map((name) => path.join(built, name)),
    files.filter((name) => !name.endsWith('.br') && !isPackedFolder(name)),
  );
  return {
    html: Object.fromEntries(html),
    reference: await readText(referenceFile, mode),
    assets: [...(await Promise.all(assets.map(readAsset))), ...(await packedAssets(files))],
  };
}

const isPackedFolder = (name: string) => name.startsWith('scalar-');

/** Folders of files that are stored compressed. There are many of them, so each is read when it is requested. */
async function packedAssets(files: string[]): Promise<StaticFile[]> {
  const folders = files.filter(isPackedFolder);
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(path.join(built, 'assets', folder), { recursive: true });
      return names.filter((name) => name.endsWith('.br')).map((name) => packedAsset(`${folder}/${name.slice(0, -3)}`));
    }),
  );
  return lists.flat();
}

function packedAsset(name: string): StaticFile {
  const address = `/assets/${name}`;
  return whenAsked(address, async () => {
    const packed = await readFile(path.join(built, 'assets', `${name}.br`));
    return staticFile(address, path.extname(name), brotliDecompressSync(packed), packed, assetHeaders);
  });
}

/** A file that is made when it is first requested: reading or compressing it would delay the start. */
function whenAsked(address: string, make: () => Promise<StaticFile>): StaticFile {
  let file: Promise<StaticFile> | undefined;
  return { path: address, reply: async (request) => (await (file ??= make())).reply(request) };
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

/** The page needs to know whether the service is a sandbox. */
async function readText(file: string, mode: Mode): Promise<string> {
  return (await readFile(path.join(built, file), 'utf8')).replace('data-mode=""', `data-mode="${mode}"`);
}

async function readHtml(name: PageName, mode: Mode, signIn: ConsoleSignIn | undefined): Promise<StaticFile> {
  const text = Buffer.from(withSignIn(await readText(htmlFiles[name], mode), signIn));
  return whenAsked(name, async () =>
    staticFile(name, '.html', text, brotliCompressSync(text), pageHeaders(name, signIn)),
  );
}

function withSignIn(html: string, signIn: ConsoleSignIn | undefined): string {
  if (!signIn) return html;
  const { issuer, clientId, audience } = signIn;
  const attributes = Object.entries({ issuer, client: clientId, audience })
    .map(([name, value]) => `data-${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`)
    .join(' ');
  return html.replace('<html ', () => `<html ${attributes} `);
}

async function readAsset(name: string): Promise<StaticFile> {
  const file = path.join(built, 'assets', name);
  const [plain, packed] = await Promise.all([readFile(file), readFile(`${file}.br`)]);
  return staticFile(`/assets/${name}`, path.extname(name), plain, packed, assetHeaders);
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
