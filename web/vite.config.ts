/** Builds the pages: static files with a hash in their names, compressed with brotli at build time. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { declarationOf } from '../scripts/elements/declaration.js';
import { description as activity } from './elements/activity/description.ts';
import { description as confirm } from './elements/confirm/description.ts';
import { cssProperties, type ElementDescription } from './elements/description.ts';
import { description as verify } from './elements/verify/description.ts';

const descriptions: Record<string, ElementDescription> = { activity, verify, confirm };

const here = fileURLToPath(new URL('.', import.meta.url));
const output = path.join(here, '../dist/web');
const pageNames = ['index.html', 'wallet.html', 'console.html', 'docs.html'];

const common = {
  root: here,
  oxc: { jsx: { runtime: 'automatic' as const, importSource: 'preact' } },
};

// On a busy machine the build would print a warning about its own time.
const checks = { bundlerTimings: false };

const target = 'es2022';
// Browsers with light-dark(). The replacement that Vite would write follows the system and not the host page.
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

/** The texts of one language differ between the elements, and all files may be put into one folder. */
const chunkNameOf = (element: string, chunk: string) =>
  chunk.length === 2 ? `ledgerline-${element}.${chunk}.js` : `${chunk}.js`;

/** Builds a single element for other people's pages: a script, and the files that it loads later. */
function element(name: string) {
  return defineConfig({
    ...common,
    // The files that it loads later are next to the script, wherever the host page puts them.
    base: './',
    worker: { format: 'es', rollupOptions: { output: { entryFileNames: '[name].js' } } },
    build: {
      outDir: path.join(here, '../dist', name),
      emptyOutDir: true,
      target,
      cssTarget,
      lib: {
        entry: path.join(here, 'elements', name, 'element.tsx'),
        formats: ['es'],
        fileName: () => `ledgerline-${name}.js`,
      },
      // Whitespace is kept in a library by default. Elements of several packages may be in one folder.
      rollupOptions: { checks, output: { chunkFileNames: (chunk) => chunkNameOf(name, chunk.name), minify: true } },
    },
    plugins: [types(name), onlyLoaded(), plainWorkers()],
  });
}

const pages = defineConfig({
  ...common,
  worker: { format: 'es' },
  build: {
    outDir: output,
    emptyOutDir: true,
    target,
    cssTarget,
    // A data: address would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      checks,
      input: pageNames.map((name) => path.join(here, name)),
    },
  },
  plugins: [packed()],
});

export default defineConfig(({ mode }) => (mode in descriptions ? element(mode) : pages));

function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    async closeBundle() {
      const folder = path.join(output, 'assets');
      const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
      const names = files.map(({ name }) => name);
      await Promise.all(
        names.map(async (name) => {
          const bytes = await readFile(path.join(folder, name));
          await writeFile(path.join(folder, `${name}.br`), await promisify(brotliCompress)(bytes));
        }),
      );
      const loaded = pageNames.map(async (page) => [page, await loadedBy(path.join(output, page), names)]);
      // The service serves the files of the pages that are enabled, and should not search all files at every start.
      await writeFile(path.join(output, 'assets.json'), JSON.stringify(Object.fromEntries(await Promise.all(loaded))));
    },
  };
}

/** The files that a page loads, directly or through other files. */
async function loadedBy(page: string, assets: string[]): Promise<string[]> {
  const wanted = new Set<string>();
  const files = [page];
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const name of assets) {
      if (wanted.has(name) || !text.includes(name)) continue;
      wanted.add(name);
      files.push(path.join(output, 'assets', name));
    }
  }
  return [...wanted];
}

/** Leaves out workers of the client that the element does not start. */
function onlyLoaded(): Plugin {
  return {
    name: 'only-loaded',
    enforce: 'post',
    generateBundle(_, bundle) {
      const code = Object.values(bundle).map((file) => (file.type === 'chunk' ? file.code : ''));
      for (const name of Object.keys(bundle)) {
        const isLoaded = bundle[name]?.type === 'chunk' || code.some((text) => text.includes(name));
        if (name.endsWith('.js') && !isLoaded) delete bundle[name];
      }
    },
  };
}

/** Writes the addresses of workers in the only form that bundlers of host pages recognise, and copy the file for. */
function plainWorkers(): Plugin {
  const written =
    /new URL\(\s*\/\*.*?\*\/\s*new URL\(`([\w-]+\.js)`,import\.meta\.url\)\.href,``\+import\.meta\.url\)/g;
  return {
    name: 'plain-workers',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replaceAll(written, 'new URL("./$1",import.meta.url)');
      }
    },
  };
}

/** The types of the element, and its description for the package. */
function types(name: string): Plugin {
  return {
    name: 'types',
    async generateBundle() {
      const description = descriptions[name];
      const details = await readFile(path.join(here, 'elements', name, 'details.ts'), 'utf8');
      const declaration = declarationOf(description, details);
      this.emitFile({ type: 'asset', fileName: `${description.tag}.d.ts`, source: declaration });
      const source = JSON.stringify({ description, cssProperties });
      this.emitFile({ type: 'asset', fileName: 'description.json', source });
    },
  };
}
