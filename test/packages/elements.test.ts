/** The package of the elements in other people's projects: in plain HTML, with React and Vite, and on a server. */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { reserveOrigin } from '../harness/browser/host-page.ts';
import { openPage } from '../harness/browser/page.ts';
import { compile, execute, installPackages, linkPackages, root, type Installation } from '../harness/packages.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

let installed: Installation;
let distribution: string;
beforeAll(async () => {
  installed = await installPackages();
  distribution = path.join(installed.folder, 'node_modules/@ledgerline/elements/dist');
  await linkPackages(installed.folder, [
    'react',
    'react-dom',
    'scheduler',
    '@types/react',
    '@types/react-dom',
    'csstype',
  ]);
  await linkPackages(installed.folder, ['preact', '@types/node', 'undici-types']);
}, 120_000);
afterAll(() => installed.remove());

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the files of a folder. */
async function serve(folder: string, port: number): Promise<void> {
  const server = createServer((request, response) => {
    const name = request.url === '/' ? 'index.html' : request.url!.slice(1);
    readFile(path.join(folder, name)).then(
      (bytes) => response.setHeader('content-type', types[path.extname(name)] ?? 'text/plain').end(bytes),
      () => response.writeHead(name === 'favicon.ico' ? 204 : 404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
}

it('can be imported on a server, where it does nothing', async () => {
  const program = `import '@ledgerline/elements/activity';
    import '@ledgerline/elements/verify';
    import '@ledgerline/elements/confirm';
    import '@ledgerline/elements/preact';
    import { LedgerlineVerify } from '@ledgerline/elements/react';
    import { createElement } from 'react';
    import { renderToString } from 'react-dom/server';
    console.log(renderToString(createElement(LedgerlineVerify, { user: 17, className: 'form' })));`;
  await writeFile(path.join(installed.folder, 'server.js'), program);
  const { stdout, stderr } = await execute(process.execPath, ['server.js'], { cwd: installed.folder });
  expect(stderr).toBe('');
  expect(stdout.trim()).toBe('<ledgerline-verify class="form"></ledgerline-verify>');
});

it('works in a plain page, with the files of all elements in one folder', async () => {
  const folder = path.join(installed.folder, 'site');
  await mkdir(folder);
  for (const name of ['activity', 'verify', 'confirm']) {
    const scripts = (await readdir(path.join(distribution, name))).filter((file) => file.endsWith('.js'));
    for (const file of scripts) await copyFile(path.join(distribution, name, file), path.join(folder, file));
  }
  const { port, origin } = await reserveOrigin();
  const service = await serviceForTest({ LEDGERLINE_CORS_ORIGINS: origin });
  const attributes = `base-url="${service.url}" locale="de"`;
  await writeFile(
    path.join(folder, 'index.html'),
    `<!doctype html><title>Bank</title><h1>Bank</h1>
    <ledgerline-activity individual="1" ${attributes}></ledgerline-activity>
    <ledgerline-verify user="1" ${attributes}></ledgerline-verify>
    <ledgerline-confirm confirmation="c" amount="24.90" currency="EUR" locale="de"></ledgerline-confirm>
    <script type="module" src="/ledgerline-activity.js"></script>
    <script type="module" src="/ledgerline-verify.js"></script>
    <script type="module" src="/ledgerline-confirm.js"></script>
    <script type="module" src="/page.js"></script>`,
  );
  const token = await service.token('phone transactions:read', 1);
  const script = `for (const element of document.querySelectorAll('ledgerline-activity, ledgerline-verify')) element.getToken = () => '${token}';`;
  await writeFile(path.join(folder, 'page.js'), script);
  await serve(folder, port);
  const page = await openPage(origin, { allowed: service.url });
  await page.locator('button.row').first().waitFor();
  const titles = await page
    .locator('ledgerline-activity h1, ledgerline-verify h2, ledgerline-confirm h2')
    .allInnerTexts();
  expect(titles).toEqual(['Umsätze', 'Wie lautet Ihre Nummer?', 'Zahlung bestätigen']);
});

const app = (serviceUrl: string, userId: number) => `
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { LedgerlineVerify } from '@ledgerline/elements/react';

const getToken = async () => (await fetch('/token.txt')).text();

function App() {
  const [verified, setVerified] = useState<string>();
  const [texts, setTexts] = useState<Record<string, unknown>>({});
  return (
    <main>
      <h1>{verified ?? 'Not yet'}</h1>
      <button type="button" onClick={() => setTexts({ numberTitle: 'Hello' })}>Rename</button>
      <LedgerlineVerify
        className="form"
        baseUrl="${serviceUrl}"
        user={${userId}}
        country="GB"
        getToken={getToken}
        texts={texts}
        onVerified={({ detail }) => setVerified(detail.phoneNumber)}
      />
    </main>
  );
}
createRoot(document.getElementById('root')!).render(<App />);
`;

it('has components for React, in an app that Vite builds', async () => {
  const { port, origin } = await reserveOrigin();
  const service = await serviceForTest({ LEDGERLINE_CORS_ORIGINS: origin });
  const userId = await service.createUser();
  const folder = path.join(installed.folder, 'app');
  await mkdir(path.join(folder, 'public'), { recursive: true });
  await writeFile(path.join(folder, 'app.tsx'), app(service.url, userId));
  await writeFile(path.join(folder, 'public/token.txt'), await service.token('phone', userId));
  const html = '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.tsx"></script>';
  await writeFile(path.join(folder, 'index.html'), html);
  expect(await compile(installed.folder, ['app/app.tsx'], ['--jsx', 'react-jsx'])).toBe('');
  await build({ root: folder, configFile: false, logLevel: 'error' });
  await serve(path.join(folder, 'dist'), port);

  const page = await openPage(origin, { allowed: service.url });
  await page.getByRole('heading', { name: 'What is your number?' }).waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Hello' }).waitFor();
  const phoneNumber = newPhone();
  await page.getByLabel('Phone number').fill(phoneNumber);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code', { exact: true }).waitFor();
  await page.getByLabel('Code', { exact: true }).fill(await service.lastCode(phoneNumber));
  await page.getByRole('heading', { level: 1, name: phoneNumber }).waitFor();
  expect(await page.locator('ledgerline-verify.form').count()).toBe(1);
});

describe('types of the elements in JSX', () => {
  const sample = (attribute: string) => `
    export const form = (
      <ledgerline-verify ${attribute} base-url="https://example.com" getToken={() => 't'}
        onledgerline-verified={({ detail }) => console.log(detail.phoneNumber?.length)} />
    );
    export const list = <ledgerline-activity individual={1} layout="compact" hidden />;`;

  it.each([
    ['react', '@ledgerline/elements/react'],
    ['preact', '@ledgerline/elements/preact'],
  ])('%s', async (framework, module) => {
    const options = ['--jsx', 'react-jsx', '--jsxImportSource', framework];
    const files = [`jsx-${framework}.tsx`, `jsx-${framework}-wrong.tsx`] as const;
    const write = (file: string, attribute: string) =>
      writeFile(path.join(installed.folder, file), `import type {} from '${module}';\n${sample(attribute)}`);
    await write(files[0], 'user={17}');
    await write(files[1], 'user="seventeen"');
    const complaints = await compile(installed.folder, files, options);
    expect(complaints.match(/^\S+\.tsx(?=\()|error TS\d+/gm)).toEqual([files[1], 'error TS2322']);
  });
});

interface Manifest {
  modules: {
    path: string;
    declarations: Record<'attributes' | 'events' | 'cssParts' | 'cssProperties', { name: string }[]>[];
  }[];
}

it('has a manifest, and the documentation and the sources have everything in it', async () => {
  const manifest = JSON.parse(await readFile(path.join(distribution, 'custom-elements.json'), 'utf8')) as Manifest;
  const documentation = await readFile(path.join(distribution, 'web.md'), 'utf8');
  const folders = ['activity', 'verify', 'confirm', 'code', '../ui'].map((name) =>
    path.join(root, 'web/elements', name),
  );
  const sources = await Promise.all(
    folders.map(async (folder) => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.tsx'));
      return Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
    }),
  );
  const code = sources.flat().join('\n');
  const palette = await readFile(path.join(root, 'web/ui/palette.css'), 'utf8');
  expect(manifest.modules).toHaveLength(3);
  for (const { path: script, declarations } of manifest.modules) {
    await readFile(path.join(distribution, '..', script));
    const { attributes, events, cssParts, cssProperties } = declarations[0]!;
    const undocumented = [...attributes, ...events, ...cssProperties].filter(
      ({ name }) => !documentation.includes(`\`${name}`),
    );
    expect(undocumented).toEqual([]);
    expect(cssParts.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(documentation))).toEqual([]);
    const isDrawn = (name: string) => new RegExp(`part=[{"\`]+[^"]*${name}\\b|part={channel}`).test(code);
    expect(cssParts.filter(({ name }) => !isDrawn(name))).toEqual([]);
    const inPalette = cssProperties.map(({ name }) => name.replace('--ledgerline-', ''));
    const own = ['font', 'form-height'];
    expect(inPalette.filter((name) => !own.includes(name)).toSorted()).toEqual(
      [...palette.matchAll(/^ {2}--([\w-]+):/gm)].map(([, name]) => name!).toSorted(),
    );
  }
});

describe('samples of the documentation compile', () => {
  const globals = `import type { Client, LedgerlineEvent, Transaction } from '@ledgerline/client';
    declare global {
      const client: Client;
      const signal: AbortSignal;
      var saved: string;
      function handle(event: LedgerlineEvent): Promise<void>;
      function refresh(): Promise<void>;
      function show(transactions: ReadonlyMap<string, Transaction>, ...changes: unknown[]): void;
      interface Window { webkit?: any; LedgerlineApp?: any; giveToken?: unknown }
    }`;

  async function samplesOf(page: string): Promise<{ name: string; text: string }[]> {
    const markdown = await readFile(path.join(root, 'docs', `${page}.md`), 'utf8');
    const blocks = [...markdown.matchAll(/```(ts|tsx|html)\n(.*?)```/gs)];
    return blocks.flatMap(([, language, text], index) => {
      const code = language === 'html' ? /<script type="module">(.*?)<\/script>/s.exec(text!)?.[1] : text;
      // A page without a bundler names the file; its types are those of the package.
      const usual = code?.replaceAll(/'\/ledgerline\/ledgerline-(\w+)\.js'/g, "'@ledgerline/elements/$1'");
      const extension = language === 'html' ? 'js' : language;
      return usual === undefined
        ? []
        : [{ name: `sample-${page}-${index}.${extension}`, text: `${usual}\nexport {};` }];
    });
  }

  it('of the pages about the elements, the client and events', async () => {
    await writeFile(path.join(installed.folder, 'globals.d.ts'), globals);
    const files = ['globals.d.ts'];
    for (const [page, count] of [
      ['web', 5],
      ['client', 4],
      ['events', 3],
    ] as const) {
      const samples = await samplesOf(page);
      expect(samples.length).toBeGreaterThanOrEqual(count);
      for (const { name, text } of samples) await writeFile(path.join(installed.folder, name), text);
      files.push(...samples.map(({ name }) => name));
    }
    const strict = files.filter((name) => !name.endsWith('.js'));
    expect(await compile(installed.folder, strict, ['--jsx', 'react-jsx', '--types', 'node'])).toBe('');
    // A script of a page has no types, so what may be missing is not checked.
    const scripts = ['globals.d.ts', ...files.filter((name) => name.endsWith('.js'))];
    expect(scripts.length).toBeGreaterThan(1);
    const lenient = ['--allowJs', '--checkJs', '--strict', 'false'];
    expect(await compile(installed.folder, scripts, lenient)).toBe('');
  });
});
