/** The members of a request or an answer, as a nested list. */
import { html } from './html.js';
import { renderMarkdown } from './markdown.js';

const nameIn = (reference) => reference.split('/').at(-1);

export const createResolver = (document) => (value) => {
  if (value?.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((place, key) => place[key], document);
};

function typeOf(schema, resolve) {
  if (schema.$ref !== undefined) return typeOf(resolve(schema), resolve);
  if (schema.oneOf) return `one of ${schema.oneOf.length}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? 'any'].flat();
  const names = types.filter((type) => type !== 'null').join(' or ');
  const items = schema.items ? ` of ${typeOf(schema.items, resolve)}` : '';
  const format = schema.format ? ` (${schema.format})` : '';
  return `${names}${items}${format}${types.includes('null') ? ', or null' : ''}`;
}

/** What else must hold for a value: [what, value]. */
function rulesOf(schema) {
  const range = [schema.minimum, schema.maximum];
  return [
    schema.default !== undefined && ['default', JSON.stringify(schema.default)],
    range.some((limit) => limit !== undefined) && ['range', range.map((limit) => limit ?? '').join(' … ')],
    schema.maxLength !== undefined && ['at most', `${schema.maxLength} characters`],
    schema.maxItems !== undefined && ['at most', `${schema.maxItems} entries`],
    schema.pattern !== undefined && ['pattern', schema.pattern],
    schema.enum && ['one of', schema.enum.map((value) => JSON.stringify(value)).join(', ')],
    schema['x-extensible-enum'] && ['known values', schema['x-extensible-enum'].join(', ')],
  ].filter(Boolean);
}

/** The object behind a schema, also behind a list of it. */
function objectIn(schema, resolve) {
  const target = resolve(schema);
  if (target.items) return objectIn(target.items, resolve);
  return target.properties || target.oneOf ? target : undefined;
}

function member({ name, schema, isRequired, place }, resolve, outer) {
  const target = resolve(schema);
  const inner = objectIn(schema, resolve);
  const isOpened = inner && !outer.has(inner);
  return html`<li>
    <p class="member">
      <code class="name">${name}</code>
      <span class="type">${typeOf(schema, resolve)}${place && ` in the ${place}`}</span>
      ${isRequired && html`<span class="required">required</span>`}
    </p>
    ${target.description && renderMarkdown(target.description)}
    ${rulesOf(target).map(([what, value]) => html`<p class="limit">${what} <code>${value}</code></p>`)}
    ${
      isOpened &&
      html`<details>
        <summary>Members</summary>
        ${members(inner, resolve, new Set([...outer, inner]))}
      </details>`
    }
  </li>`;
}

/** The members of an object; of each alternative, if there are several. */
export function members(schema, resolve, outer = new Set()) {
  const target = objectIn(schema, resolve) ?? resolve(schema);
  if (target.oneOf)
    return target.oneOf.map(
      (each) =>
        html`<details>
          <summary>${each.$ref ? nameIn(each.$ref) : typeOf(each, resolve)}</summary>
          ${members(each, resolve, new Set([...outer, target]))}
        </details>`,
    );
  const list = Object.entries(target.properties ?? {}).map(([name, value]) =>
    member({ name, schema: value, isRequired: target.required?.includes(name) }, resolve, outer),
  );
  return list.length > 0
    ? html`<ul class="members">
        ${list}
      </ul>`
    : '';
}

/** Parameters in the path, the query and the headers. */
export const parameterList = (parameters, resolve) =>
  html`<ul class="members">
    ${parameters.map(({ name, schema, description, required, in: place }) =>
      member({ name, schema: { ...resolve(schema), description }, isRequired: required, place }, resolve, new Set()),
    )}
  </ul>`;
