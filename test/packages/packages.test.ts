/** The npm packages as somebody installs them: what is in them, their types, and the elements in plain HTML and in React. */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { reserveOrigin } from '../harness/browser/host-page.ts';
import { openPage } from '../harness/browser/page.ts';
import { compile, execute, installPackages, linkPackages, root, type Installation } from '../harness/packages.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

let installed: Installation;
let folder: string;
let distribution: string;
beforeAll(async () => {
  installed = await installPackages();
  ({ folder } = installed);
  distribution = path.join(folder, 'node_modules/@ledgerline/elements/dist');
}, 120_000);
afterAll(() => installed.remove());

const filesOf = (name: string) => installed.packages[name]!.files.map((file) => file.path).toSorted();

describe('what the packages hold', () => {
  it('all have the version of the server', () => {
    expect(Object.keys(installed.packages).toSorted()).toEqual([
      '@ledgerline/client',
      '@ledgerline/elements',
      'ledgerline',
    ]);
    expect(new Set(Object.values(installed.packages).map(({ version }) => version)).size).toBe(1);
  });

  it('the client has its code, its types, a README and a licence', () => {
    const files = filesOf('@ledgerline/client');
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.d.ts', 'dist/index.js', 'package.json']),
    );
    const others = files.filter((file) => !/^(LICENSE|README\.md|package\.json|dist\/[\w-]+\.(js|d\.ts))$/.test(file));
    expect(others).toEqual([]);
  });

  it('the elements have one script and its types each, and what a script loads later', () => {
    const files = filesOf('@ledgerline/elements');
    const named = ['activity', 'verify', 'confirm'].flatMap((name) => [
      `dist/${name}/ledgerline-${name}.d.ts`,
      `dist/${name}/ledgerline-${name}.js`,
    ]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', ...named]));
    const others = files.filter(
      (file) => !/^(LICENSE|README\.md|package\.json|dist\/\w+\/[\w.-]+\.(js|d\.ts))$/.test(file),
    );
    // The page that the README points to, and what editors read.
    expect(others).toEqual(['dist/custom-elements.json', 'dist/web.md']);
  });

  it('the server has its program, pages, migrations and functions, and neither sources nor tests', () => {
    const files = filesOf('ledgerline');
    const needed = ['dist/ledgerline.js', 'dist/web/index.html', 'migrations/0001_schema.sql', 'openapi.json'];
    expect(files).toEqual(expect.arrayContaining([...needed, 'src/db/functions/reserve_send.sql']));
    expect(files.filter((file) => /^(test|web|docs|bench|packages)\/|^src\/.*\.ts$|\.env/.test(file))).toEqual([]);
  });
});

/** Module and resolution. That of Node 16 differs little from the next one. */
const resolutions: [module: string, moduleResolution: string][] = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
  ...sized<[string, string][]>([], [['node16', 'node16']]),
];

describe('an installation of client and elements', () => {
  it('brings nothing else: no server, no PostgreSQL', async () => {
    const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages).toSorted()).toEqual([
      '',
      'node_modules/@ledgerline/client',
      'node_modules/@ledgerline/elements',
    ]);
  });

  it('names the file of its worker in the form that bundlers know', async () => {
    const known = /new Worker\(new URL\(["'`]\.\/challenge-worker\.js["'`],\s*import\.meta\.url\)/;
    for (const file of ['client/dist/solve-challenge.js', 'elements/dist/verify/ledgerline-verify.js']) {
      const code = await readFile(path.join(folder, 'node_modules/@ledgerline', file), 'utf8');
      expect(code.replaceAll('\n', '')).toMatch(known);
    }
  });

  it('the client runs in Node as an ES module', async () => {
    const program = `import { createClient, isE164, LedgerlineError } from '@ledgerline/client';
      import '@ledgerline/client/phone';
      import '@ledgerline/client/transactions';
      import '@ledgerline/client/operator';
      console.log(typeof createClient, isE164('+447400123456'), new LedgerlineError('offline', 'x') instanceof Error)`;
    await writeFile(path.join(folder, 'use.js'), program);
    const { stdout } = await execute(process.execPath, ['use.js'], { cwd: folder });
    expect(stdout.trim()).toBe('function true true');
  });

  it.each(resolutions)(
    'has types for module %s with resolution %s, also for the first examples of its README and of docs/client.md, and refuses wrong ones',
    async (module, moduleResolution) => {
      const program = `import { createClient, type Transaction } from '@ledgerline/client';
      import '@ledgerline/elements/verify';
      import '@ledgerline/elements/activity';
      import '@ledgerline/elements/confirm';
      const client = createClient({ baseUrl: 'http://127.0.0.1:8080', token: 't' });
      for await (const row of client.transactions({ individualId: 1 })) console.log((row satisfies Transaction).amountText);
      document.querySelector('ledgerline-activity')!.getToken = async () => 't';
      document.querySelector('ledgerline-confirm')!.addEventListener('ledgerline-code', ({ detail }) =>
        detail.respond(fetch('/check', { method: 'POST', body: detail.code })));
      export const { id }: { id: number } = await client.createUser();`;
      const [right, wrong] = [`use-${moduleResolution}.ts`, `misuse-${moduleResolution}.ts`];
      await writeFile(path.join(folder, right), program);
      await writeFile(path.join(folder, wrong), program.replace('{ id: number }', '{ id: string }'));
      const files = [right, wrong];
      for (const page of ['packages/client/README.md', 'docs/client.md']) {
        const [, example] = /```ts\n(.*?)```/s.exec(await readFile(path.join(root, page), 'utf8'))!;
        const file = `example-${files.length}.ts`;
        await writeFile(path.join(folder, file), `${example}\nexport {};`);
        files.push(file);
      }
      // As a project with strict types does it.
      const options = ['--lib', 'es2023,dom', '--module', module, '--moduleResolution', moduleResolution];
      const complaints = await compile(folder, files, options);
      expect(complaints.match(/^\S+\.ts(?=\()|error TS\d+/gm)).toEqual([wrong, 'error TS2322']);
    },
  );
});

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

it('works in a plain page, with the files of all elements in one folder', async () => {
  const site = path.join(folder, 'site');
  await mkdir(site);
  for (const name of ['activity', 'verify', 'confirm']) {
    const scripts = (await readdir(path.join(distribution, name))).filter((file) => file.endsWith('.js'));
    for (const file of scripts) await copyFile(path.join(distribution, name, file), path.join(site, file));
  }
  const { port, origin } = await reserveOrigin();
  const service = await serviceForTest({ LEDGERLINE_CORS_ORIGINS: origin });
  const attributes = `base-url="${service.url}" locale="de"`;
  await writeFile(
    path.join(site, 'index.html'),
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
  await writeFile(path.join(site, 'page.js'), script);
  await serve(site, port);
  const page = await openPage(origin, { allowed: service.url });
  await page.locator('button.row').first().waitFor();
  const titles = await page
    .locator('ledgerline-activity h1, ledgerline-verify h2, ledgerline-confirm h2')
    .allInnerTexts();
  expect(titles).toEqual(['Umsätze', 'Wie lautet Ihre Nummer?', 'Zahlung bestätigen']);
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

const jsxSample = (framework: string, user: string) => `/** @jsxImportSource ${framework} */
import type {} from '@ledgerline/elements/${framework}';
export const form = (
  <ledgerline-verify user=${user} base-url="https://example.com" getToken={() => 't'}
    onledgerline-verified={({ detail }) => console.log(detail.phoneNumber?.length)} />
);
export const list = <ledgerline-activity individual={1} layout="compact" hidden />;`;

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
    return usual === undefined ? [] : [{ name: `sample-${page}-${index}.${extension}`, text: `${usual}\nexport {};` }];
  });
}

describe('beside React and Preact', () => {
  beforeAll(async () => {
    const libraries = ['react', 'react-dom', 'scheduler', 'preact'];
    const types = ['@types/react', '@types/react-dom', 'csstype', '@types/node', 'undici-types'];
    await linkPackages(folder, [...libraries, ...types]);
  });

  it('can be imported on a server, where it does nothing', async () => {
    const program = `import '@ledgerline/elements/activity';
      import '@ledgerline/elements/verify';
      import '@ledgerline/elements/confirm';
      import '@ledgerline/elements/preact';
      import { LedgerlineVerify } from '@ledgerline/elements/react';
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      console.log(renderToString(createElement(LedgerlineVerify, { user: 17, className: 'form' })));`;
    await writeFile(path.join(folder, 'server.js'), program);
    const { stdout, stderr } = await execute(process.execPath, ['server.js'], { cwd: folder });
    expect(stderr).toBe('');
    expect(stdout.trim()).toBe('<ledgerline-verify class="form"></ledgerline-verify>');
  });

  it('has components for React, in an app that Vite builds', async () => {
    const { port, origin } = await reserveOrigin();
    const service = await serviceForTest({ LEDGERLINE_CORS_ORIGINS: origin });
    const userId = await service.createUser();
    const project = path.join(folder, 'app');
    await mkdir(path.join(project, 'public'), { recursive: true });
    await writeFile(path.join(project, 'app.tsx'), app(service.url, userId));
    await writeFile(path.join(project, 'public/token.txt'), await service.token('phone', userId));
    const html = '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.tsx"></script>';
    await writeFile(path.join(project, 'index.html'), html);
    await build({ root: project, configFile: false, logLevel: 'error', build: { reportCompressedSize: false } });
    await serve(path.join(project, 'dist'), port);

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

  it('the app, JSX of React and Preact, and the samples of the documentation have right types, and wrong ones are refused', async () => {
    const files = ['globals.d.ts', 'app-types.tsx'];
    await writeFile(path.join(folder, files[0]!), globals);
    await writeFile(path.join(folder, files[1]!), app('http://127.0.0.1:8080', 17));
    for (const framework of ['react', 'preact']) {
      for (const [user, suffix] of [
        ['{17}', ''],
        ['"seventeen"', '-wrong'],
      ] as const) {
        const file = `jsx-${framework}${suffix}.tsx`;
        await writeFile(path.join(folder, file), jsxSample(framework, user));
        files.push(file);
      }
    }
    for (const [page, count] of [
      ['web', 5],
      ['client', 4],
      ['events', 3],
    ] as const) {
      const samples = await samplesOf(page);
      expect(samples.length).toBeGreaterThanOrEqual(count);
      for (const { name, text } of samples) await writeFile(path.join(folder, name), text);
      files.push(...samples.map(({ name }) => name));
    }
    const strict = files.filter((name) => !name.endsWith('.js'));
    // The types of the browser and of JavaScript itself are checked above. It takes most of the time.
    const usual = ['--skipDefaultLibCheck'];
    const complaints = await compile(folder, strict, [...usual, '--jsx', 'react-jsx', '--types', 'node']);
    expect(complaints.match(/^\S+\.tsx?(?=\()|error TS\d+/gm)).toEqual([
      'jsx-preact-wrong.tsx',
      'error TS2322',
      'jsx-react-wrong.tsx',
      'error TS2322',
    ]);
    // A script of a page has no types, so what may be missing is not checked.
    const scripts = ['globals.d.ts', ...files.filter((name) => name.endsWith('.js'))];
    expect(scripts.length).toBeGreaterThan(1);
    const lenient = [...usual, '--allowJs', '--checkJs', '--strict', 'false'];
    expect(await compile(folder, scripts, lenient)).toBe('');
  });
});
