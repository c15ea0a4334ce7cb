/** Builds the pages: static files with a hash in their names, compressed with brotli at build time. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const output = path.join(here, '../dist/web');

const common = {
  root: here,
  oxc: { jsx: { runtime: 'automatic' as const, importSource: 'preact' } },
};

const target = 'es2022';
// Browsers with light-dark(). What Vite would write instead follows the system and not the host page.
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

/** One element alone, for other people's pages: a script, and what it loads later. */
function element(name: string) {
  return defineConfig({
    ...common,
    build: {
      outDir: path.join(here, '../dist', name),
      emptyOutDir: true,
      target,
      cssTarget,
      lib: { entry: path.join(here, name, 'element.tsx'), formats: ['es'], fileName: () => `ledgerline-${name}.js` },
      rollupOptions: { output: { chunkFileNames: '[name].js' } },
    },
    plugins: [types(name)],
  });
}

const pages = defineConfig({
  ...common,
  build: {
    outDir: output,
    emptyOutDir: true,
    target,
    cssTarget,
    // A data: address would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['index.html', 'wallet.html', 'console.html'].map((name) => path.join(here, name)) },
  },
  plugins: [packed()],
});

export default defineConfig(({ mode }) => (['activity', 'verify'].includes(mode) ? element(mode) : pages));

function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    async closeBundle() {
      const folder = path.join(output, 'assets');
      const files = await readdir(folder);
      await Promise.all(
        files.map(async (name) => {
          const bytes = await readFile(path.join(folder, name));
          const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
          await writeFile(path.join(folder, `${name}.br`), await promisify(brotliCompress)(bytes, { params }));
        }),
      );
    },
  };
}

function types(name: string): Plugin {
  return {
    name: 'types',
    async generateBundle() {
      const fileName = `ledgerline-${name}.d.ts`;
      this.emitFile({ type: 'asset', fileName, source: await readFile(path.join(here, name, fileName), 'utf8') });
    },
  };
}
