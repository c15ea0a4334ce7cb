/** The npm packages as somebody installs them: what is in them, without the server, and with types for every resolution. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile as compileIn, execute, installPackages, root, type Installation } from '../harness/packages.ts';
import { sized } from '../harness/size.ts';

let installed: Installation;
let folder: string;
beforeAll(async () => {
  installed = await installPackages();
  ({ folder } = installed);
});
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

/** As a project with strict types does it. */
const compile = (files: string[], module: string, moduleResolution: string) =>
  compileIn(folder, files, ['--lib', 'es2023,dom', '--module', module, '--moduleResolution', moduleResolution]);

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
    'has types for module %s with resolution %s, and refuses wrong ones',
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
      const complaints = await compile([right, wrong], module, moduleResolution);
      expect(complaints.match(/^\S+\.ts(?=\()|error TS\d+/gm)).toEqual([wrong, 'error TS2322']);
    },
  );

  it('the first examples of packages/client/README.md and docs/client.md compile', async () => {
    const files: string[] = [];
    for (const page of ['packages/client/README.md', 'docs/client.md']) {
      const [, example] = /```ts\n(.*?)```/s.exec(await readFile(path.join(root, page), 'utf8'))!;
      const file: string = `example-${files.length}.ts`;
      await writeFile(path.join(folder, file), `${example}\nexport {};`);
      files.push(file);
    }
    expect(await compile(files, 'nodenext', 'nodenext')).toBe('');
  });
});
