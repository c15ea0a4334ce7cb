/** The built pages: read once, and sent unchanged. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageName } from '../config/settings/server.ts';
import { readOptionalFile } from '../formats/read-optional-file.ts';
import type { Mode } from '../formats/setting-kinds.ts';
import { packageRoot } from '../package-root.ts';
import { acceptsEncoding, compressFile, type ContentEncoding } from './encoding.ts';
import type { Reply, Request } from './operation.ts';

const built = fileURLToPath(new URL('dist/web/', packageRoot));

const htmlFiles: Record<PageName, string> = { sandbox: 'index.html', wallet: 'wallet.html', console: 'console.html' };

/** The pages of the documentation, in files whose paths are their addresses. */
const docsFolder = path.join(built, 'docs');

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
};

/**
 * Everything from our own origin, no inline script or style, no framing. The page with the form to verify a phone has
 * one policy for trusted types, which lets it start the worker that solves challenges. The console may send requests to
 * the identity provider too.
 */
const policyOf = (name: PageName | 'docs', signIn: ConsoleSignIn | undefined) =>
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

const pageHeaders = (name: PageName | 'docs', signIn?: ConsoleSignIn) => ({
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
  /** The pages of the documentation, which every mode serves. Empty if they have not been built. */
  docs: StaticFile[];
  /** The files that the pages load, with a hash in their names. */
  assets: StaticFile[];
}

interface PageOptions {
  names: readonly PageName[];
  mode: Mode;
  /** The address of the service. */
  url: string;
  signIn: ConsoleSignIn | undefined;
}

export async function readPages({ names, mode, url, signIn }: PageOptions): Promise<Pages> {
  const loaded = await readLoadedFiles();
  if (!loaded) return { html: {}, docs: [], assets: [] };
  const html = await Promise.all(
    names.map(
      async (name) => [name, await readHtml(name, mode, url, name === 'console' ? signIn : undefined)] as const,
    ),
  );
  const assets = new Set([...names.map((name) => htmlFiles[name]), 'docs.html'].flatMap((file) => loaded[file]!));
  return {
    html: Object.fromEntries(html),
    docs: await readDocs(mode, url),
    assets: [...assets].map((name) => whenAsked(`/assets/${name}`, () => readAsset(name))),
  };
}

/** There are many of them, so each is read when it is first requested. */
async function readDocs(mode: Mode, url: string): Promise<StaticFile[]> {
  const files = await readdir(docsFolder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(built, path.join(entry.parentPath, entry.name)))
    .map((name) => {
      const extension = path.extname(name);
      const address = `/${extension === '.html' ? name.slice(0, -extension.length).replace(/\/index$/, '') : name}`;
      return whenAsked(address, async () => {
        const plain =
          extension === '.html' ? Buffer.from(await readText(name, mode, url)) : await readFile(path.join(built, name));
        return staticFile(address, extension, plain, pageHeaders('docs'));
      });
    });
}

/** A file that is made when it is first requested: reading it would delay the start. */
function whenAsked(address: string, make: () => Promise<StaticFile>): StaticFile {
  let file: Promise<StaticFile> | undefined;
  return {
    path: address,
    async reply(request) {
      file ??= make().catch((error: unknown) => {
        // The next request tries again.
        file = undefined;
        throw error;
      });
      return (await file).reply(request);
    },
  };
}

/** The files that each page loads, as the build has found them. Files of pages that are not served are left out. */
async function readLoadedFiles(): Promise<Record<string, string[]> | undefined> {
  const text = await readOptionalFile(path.join(built, 'assets.json'));
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, string[]>);
}

/** The page needs to know whether the service is a sandbox. */
async function readText(file: string, mode: Mode, url: string): Promise<string> {
  const html = await readFile(path.join(built, file), 'utf8');
  return withPreview(html, url).replace('data-mode=""', `data-mode="${mode}"`);
}

/** What a chat shows below a link to the page: title, description and a picture, whose address must be complete. */
function withPreview(html: string, url: string): string {
  const title = /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '';
  const description = /<meta\s+name="description"\s+content="([^"]*)"/.exec(html)?.[1] ?? '';
  const tags = Object.entries({ title, description, type: 'website', image: `${url}/docs/images/wallet.png` })
    .map(([name, value]) => `<meta property="og:${name}" content="${value.replaceAll('"', '&quot;')}" />`)
    .join('\n    ');
  return html.replace('<title>', () => `${tags}\n    <title>`);
}

async function readHtml(
  name: PageName,
  mode: Mode,
  url: string,
  signIn: ConsoleSignIn | undefined,
): Promise<StaticFile> {
  const text = Buffer.from(withSignIn(await readText(htmlFiles[name], mode, url), signIn));
  return staticFile(name, '.html', text, pageHeaders(name, signIn));
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
  return staticFile(`/assets/${name}`, path.extname(name), plain, assetHeaders, packed);
}

/** Each encoding is made when it is first requested, unless it is given. */
export function staticFile(
  address: string,
  extension: string,
  plain: Buffer,
  more: Record<string, string>,
  brotli?: Buffer,
): StaticFile {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, vary: 'accept-encoding', ...more };
  const contentType = mediaTypes[extension] ?? 'application/octet-stream';
  const packed = new Map<ContentEncoding, Promise<Buffer>>(brotli && [['br', Promise.resolve(brotli)]]);

  function pack(encoding: ContentEncoding): Promise<Buffer> {
    const known = packed.get(encoding);
    if (known) return known;
    const made = compressFile(plain, encoding).catch((error: unknown) => {
      // The next request tries again.
      packed.delete(encoding);
      throw error;
    });
    packed.set(encoding, made);
    return made;
  }

  return {
    path: address,
    async reply({ headers: asked }) {
      if (asked['if-none-match'] === etag) return { status: 304, headers };
      const encoding = (['br', 'gzip'] as const).find((each) => acceptsEncoding(asked, each));
      if (!encoding) return { status: 200, body: plain, contentType, headers };
      return {
        status: 200,
        body: await pack(encoding),
        contentType,
        headers: { ...headers, 'content-encoding': encoding },
      };
    },
  };
}
