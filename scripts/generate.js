/**
 * Writes the files that are generated from the code: openapi.json, docs/config.md, docs/errors.md, the catalogue in
 * docs/events.md and the client's types.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { configReference } from '../dist/config/reference.js';
import { updateReference } from '../dist/events/reference.js';
import { clientTypes } from '../dist/http/client-types.js';
import { errorReference } from '../dist/http/error-reference.js';
import { completeDocument } from '../dist/http/routes/index.js';

const root = new URL('../', import.meta.url);
await writeFile(new URL('docs/config.md', root), configReference());
await writeFile(new URL('docs/errors.md', root), errorReference());
const eventsPage = new URL('docs/events.md', root);
await writeFile(eventsPage, updateReference(await readFile(eventsPage, 'utf8')));
await writeFile(new URL('openapi.json', root), completeDocument());
await writeFile(new URL('client/types.ts', root), clientTypes(JSON.parse(completeDocument())));
