/** Writes what is made from the code: openapi.json and docs/config.md. */
import { writeFile } from 'node:fs/promises';
import { configReference } from '../dist/config-reference.js';
import { completeDocument } from '../dist/http/routes/index.js';

const root = new URL('../', import.meta.url);
await writeFile(new URL('docs/config.md', root), configReference());
await writeFile(new URL('openapi.json', root), completeDocument());
