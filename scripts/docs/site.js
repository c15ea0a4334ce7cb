/** The pages of the site: which guides and operations it has, and how they link to each other. */
import { html } from './html.js';
import { headingsOf, renderMarkdown } from './markdown.js';
import { operationPage } from './operation-page.js';

/** The guides by reader, in reading order. Pages for those who change the service stay in the repository. */
export const guideGroups = {
  'Build with it': ['client', 'confirmations', 'change-of-number', 'transactions', 'events', 'web', 'tokens', 'errors'],
  'Operate it': [
    'production',
    'backup',
    'config',
    'gateways',
    'channels',
    'abuse',
    'privacy',
    'personal-data',
    'reliability',
    'console',
    'runbook',
    'metrics',
    'jobs',
    'scale',
    'citus',
  ],
};

/** Tags whose operations are pages for people, not part of the API. */
const pageTags = new Set(['Pages', 'Reference']);

const methods = ['get', 'post', 'delete'];

export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method] && !pageTags.has(item[method].tags[0]))
      .map((method) => ({ path, method: method.toUpperCase(), operation: item[method] })),
  );
}

const operationAddress = ({ operation }) => `/docs/api/${operation.operationId}`;

/** Where a link of a guide leads in the site. Undefined for a file that the site does not have. */
export function createLinkResolver(guides) {
  return (href) => {
    if (href.startsWith('#')) return href;
    // http://HOST:PORT in a table looks like a link.
    if (/^https?:/.test(href)) return URL.canParse(href) ? href : undefined;
    if (href === '../openapi.json') return '/openapi.json';
    const [, name, fragment = ''] = /^(?:\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
    if (name !== undefined && guides.has(name)) return `/docs/${name}${fragment}`;
    const [, image] = /^images\/([\w.-]+)$/.exec(href) ?? [];
    return image && `/docs/images/${image}`;
  };
}

function navigation(document, guides, here) {
  const link = (address, title, more) =>
    html`<li><a href="${address}" ${address === here ? html` aria-current="page"` : ''}>${title}${more}</a></li>`;
  const operations = operationsOf(document);
  const groups = document.tags.filter(({ name }) => operations.some(({ operation }) => operation.tags[0] === name));
  return html`<ul>
      ${link('/docs', 'Start')}
    </ul>
    ${Object.entries(guideGroups).map(
      ([title, names]) =>
        html`<h2>${title}</h2>
          <ul>
            ${names.map((name) => link(`/docs/${name}`, guides.get(name).title))}
          </ul>`,
    )}
    ${groups.map(({ name }) => {
      const own = operations.filter(({ operation }) => operation.tags[0] === name);
      const isHere = own.some((each) => operationAddress(each) === here);
      return html`<details${isHere ? html` open` : ''}><summary>${name}</summary><ul>${own.map((each) =>
        link(
          operationAddress(each),
          each.operation.summary,
          html` <span class="method method-${each.method.toLowerCase()}">${each.method}</span>`,
        ),
      )}</ul></details>`;
    })}`;
}

function contents(text) {
  const sections = headingsOf(text).filter(({ depth }) => depth === 2);
  if (sections.length < 3) return '';
  return html`<nav class="contents" aria-label="On this page">
    <ul>
      ${sections.map(({ title, id }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`;
}

/** The first page: the introduction of the API, and the operations by group. */
function startPage(document, resolve) {
  const operations = operationsOf(document);
  const groups = document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return html`<article class="guide">
    <h1>${document.info.title} ${document.info.version}</h1>
    ${renderMarkdown(document.info.description.replaceAll('http://127.0.0.1:8080', '{origin}'), { resolve, identifyRows: true })}
    <h2 id="operations">Operations</h2>
    ${groups
      .filter((group) => group.operations.length > 0)
      .map(
        (group) =>
          html`<h3>${group.name}</h3>
            ${group.description && renderMarkdown(group.description, { resolve })}
            <ul class="operations">
              ${group.operations.map((each) => html`<li><a href="${operationAddress(each)}">${each.operation.summary}</a> <code>${each.method} ${each.path}</code></li>`)}
            </ul>`,
      )}
  </article>`;
}

/** What the search finds: operations, sections of guides, errors and settings. */
function searchEntries(document, guides) {
  const operations = operationsOf(document).map((each) => ({
    kind: 'operation',
    title: each.operation.summary,
    about: `${each.method} ${each.path}`,
    address: operationAddress(each),
  }));
  const sections = [...guides].flatMap(([name, { title: guide, text }]) =>
    headingsOf(text).map(({ depth, title, id }) => ({
      kind: 'guide',
      title,
      about: depth === 1 ? '' : guide,
      address: depth === 1 ? `/docs/${name}` : `/docs/${name}#${id}`,
    })),
  );
  const errors = [...document.info.description.matchAll(/^\| `([a-z-]+)` \| (\d+) \| (.*) \|$/gm)].map(
    ([, title, status, about]) => ({
      kind: 'error',
      title,
      about: `${status}: ${about}`,
      address: `/docs/errors#${title}`,
    }),
  );
  const settings = [...guides.get('config').text.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, title]) => ({
    kind: 'setting',
    title,
    about: '',
    address: `/docs/config#${title}`,
  }));
  return [...operations, ...errors, ...settings, ...sections];
}

/** All pages by address: the title, the navigation and the content of each; and the entries of the search. */
export function makeSite(document, guides) {
  const resolve = createLinkResolver(guides);
  const pages = [
    { address: '/docs', title: 'Documentation', content: startPage(document, resolve) },
    ...[...guides].map(([name, { title, text }]) => ({
      address: `/docs/${name}`,
      title,
      content: html`<article class="guide">
        ${contents(text)}${renderMarkdown(text, { resolve, identifyRows: true })}
      </article>`,
    })),
    ...operationsOf(document).map((each) => ({
      address: operationAddress(each),
      title: each.operation.summary,
      content: operationPage({ document, ...each }),
    })),
  ];
  return {
    pages: pages.map((page) => ({ ...page, navigation: navigation(document, guides, page.address) })),
    search: searchEntries(document, guides),
  };
}
