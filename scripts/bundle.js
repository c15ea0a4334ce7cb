/**
 * Joins the modules of the service into a few files, `dist/ledgerline*.js`: what a start needs, and a file for each
 * command. Loading 350 files one by one takes half as long again. Dependencies stay outside, so that whoever
 * runs the service can see and replace them.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

const bundle = await rolldown({
  input: { ledgerline: `${dist}main.js` },
  platform: 'node',
  external: (id) => !/^[./]/.test(id),
});
await bundle.write({ dir: dist, format: 'esm', chunkFileNames: 'ledgerline-[name].js' });
await bundle.close();
