/** Writes the files that are generated from the code: openapi.json, docs/config.md, docs/errors.md and the client's types. */
import { writeFile } from 'node:fs/promises';
import { configReference } from '../dist/config/reference.js';
import { clientTypes } from '../dist/http/client-types.js';
import { errorReference } from '../dist/http/error-reference.js';
import { completeDocument } from '../dist/http/routes/index.js';

const root = new URL('../', import.meta.url);
await writeFile(new URL('docs/config.md', root), configReference());
await writeFile(new URL('docs/errors.md', root), errorReference());
await writeFile(new URL('openapi.json', root), completeDocument());
await writeFile(new URL('client/types.ts', root), clientTypes(JSON.parse(completeDocument())));
