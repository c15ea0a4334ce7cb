/** Builds the pages and the elements, one after another in one process. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../web', import.meta.url));

for (const mode of ['production', 'activity', 'verify', 'confirm']) await build({ root, mode, logLevel: 'warn' });
