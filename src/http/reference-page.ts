/** The API reference as one static page: no script, and nothing from other hosts. */
import type { Schema } from '../formats/shape.ts';
import type { OpenApiDocument, OpenApiOperation } from './openapi.ts';

export const referenceCss = `
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6eaf0); --soft: light-dark(#5a6675, #9aa6b5);
  --line: light-dark(#e2e6ec, #2c3440); --ground: light-dark(#fff, #12161c); --panel: light-dark(#f6f8fa, #1a2029);
  --accent: light-dark(#0b5bd3, #7db4ff); }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; display: grid;
  grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.4rem 0 .3rem; border: 0; }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; }
nav a:hover, nav a:focus-visible { color: var(--accent); text-decoration: underline; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 60rem; }
h1 { margin: 0; font-size: 2rem; } h2 { margin: 3rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
article { margin: 0 0 2.5rem; scroll-margin-top: 1rem; } h3 { margin: 0 0 .3rem; font-size: 1.15rem; }
code, pre { font: .87em/1.5 ui-monospace, monospace; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; margin: .8rem 0; }
.call { display: flex; gap: .6rem; align-items: baseline; flex-wrap: wrap; margin: .2rem 0 .6rem; }
.method { font-weight: 700; font-size: .75rem; border: 1px solid currentColor; border-radius: 4px; padding: 0 .4rem; color: var(--accent); }
.soft { color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  table { display: block; overflow-x: auto; } }
`;

interface Entry extends OpenApiOperation {
  method: string;
  path: string;
}

export function referencePage(document: OpenApiDocument, base: string): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]): Entry => ({ ...entry, method: method.toUpperCase(), path })),
  );
  const tags = [...new Set(entries.map(({ tags: [tag] }) => tag!))];
  const of = (tag: string) => entries.filter(({ tags: [own] }) => own === tag);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(document.info.title)} API</title><style>${referenceCss}</style></head>
<body><nav aria-label="Operations"><strong>${escape(document.info.title)}</strong> <span class="soft">${escape(document.info.version)}</span>
${tags
  .map(
    (tag) =>
      `<h2>${escape(tag)}</h2>${of(tag)
        .map((entry) => `<a href="#${entry.operationId}">${escape(entry.summary)}</a>`)
        .join('')}`,
  )
  .join('\n')}
</nav><main><h1>${escape(document.info.title)} API</h1>
<p>${escape(document.info.description)} The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<p>Errors are problem details (RFC 7807) with the members <code>type</code>, <code>title</code>, <code>status</code>, <code>traceId</code> and <code>errors</code>;
give <code>traceId</code> to whoever reads the log.</p>
${tags
  .map(
    (tag) =>
      `<section><h2>${escape(tag)}</h2>${of(tag)
        .map((entry) => article(entry, document, base))
        .join('\n')}</section>`,
  )
  .join('\n')}
</main></body></html>`;
}

function article(entry: Entry, document: OpenApiDocument, base: string): string {
  const media = entry.requestBody?.content['application/json'];
  const scopes = entry['x-scopes'];
  return `<article id="${entry.operationId}"><h3>${escape(entry.summary)}</h3>
<p class="call"><span class="method">${entry.method}</span> <code>${escape(entry.path)}</code>
${scopes ? `<span class="soft">scope ${scopes.map((scope) => `<code>${escape(scope)}</code>`).join(' or ')}</span>` : '<span class="soft">no token needed</span>'}</p>
${entry.description ? `<p>${escape(entry.description)}</p>` : ''}
${media ? fields(resolve(media.schema, document)) : ''}
<pre tabindex="0" aria-label="Example call"><code>${escape(curl(entry, media?.example, base))}</code></pre>
<table><thead><tr><th>Status</th><th>Meaning</th></tr></thead><tbody>
${Object.entries(entry.responses)
  .map(([status, { description }]) => `<tr><td><code>${status}</code></td><td>${escape(description)}</td></tr>`)
  .join('')}
</tbody></table></article>`;
}

function fields(schema: Schema): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const needed = (schema.required ?? []) as string[];
  return `<table><thead><tr><th>Member</th><th>Type</th><th>Meaning</th></tr></thead><tbody>
${properties
  .map(
    ([name, property]) =>
      `<tr><td><code>${escape(name)}</code>${needed.includes(name) ? '' : ' <span class="soft">optional</span>'}</td>
<td>${escape(
        [property.type]
          .flat()
          .filter((type) => type !== 'null')
          .join(' or '),
      )}</td>
<td>${escape(String(property.description ?? ''))}${property.default === undefined ? '' : ` Default: <code>${escape(JSON.stringify(property.default))}</code>`}</td></tr>`,
  )
  .join('')}
</tbody></table>`;
}

function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? ''))?.[1];
  return name ? document.components.schemas[name]! : schema;
}

function curl({ method, path, operationId, ...entry }: Entry, example: unknown, base: string): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${base}${path.replace('{id}', '1')}`];
  if (operationId === 'token')
    lines.push('-d grant_type=client_credentials -d client_id=sandbox -d client_secret=sandbox');
  if (entry['x-scopes']) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (example !== undefined) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(example)}'`);
  return lines.join(' \\\n  ');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
