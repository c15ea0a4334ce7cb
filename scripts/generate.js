/**
 * Writes the files that are generated from the code: openapi.json, docs/config.md, docs/errors.md,
 * docs/metrics.md, docs/jobs.md, docs/personal-data.md, the catalogue in docs/events.md, the rules in docs/abuse.md, the client's types.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { jobsReference } from '../dist/app/job-table.js';
import { configReference } from '../dist/config/reference.js';
import { updateReference } from '../dist/events/reference.js';
import { updateRules } from '../dist/guard/reference.js';
import { clientTypes } from '../dist/http/openapi/client-types.js';
import { errorReference } from '../dist/http/openapi/error-reference.js';
import { metricsReference } from '../dist/monitoring/metrics.js';
import { completeDocument } from '../dist/http/routes/index.js';
import { personalDataReference } from '../dist/privacy/personal-data.js';

const root = new URL('../', import.meta.url);
await writeFile(new URL('docs/config.md', root), configReference());
await writeFile(new URL('docs/errors.md', root), errorReference());
await writeFile(new URL('docs/metrics.md', root), metricsReference());
await writeFile(new URL('docs/jobs.md', root), jobsReference());
await writeFile(new URL('docs/personal-data.md', root), personalDataReference());
const eventsPage = new URL('docs/events.md', root);
await writeFile(eventsPage, updateReference(await readFile(eventsPage, 'utf8')));
const abusePage = new URL('docs/abuse.md', root);
await writeFile(abusePage, updateRules(await readFile(abusePage, 'utf8')));
await writeFile(new URL('openapi.json', root), completeDocument());
await writeFile(new URL('client/types.ts', root), clientTypes(JSON.parse(completeDocument())));
