/** Markdown as HTML: headings get ids, links lead to pages of the site, comments are left out, and other raw HTML is not allowed. */
import { Marked } from 'marked';
import { escape, raw } from './html.js';

/** The id of a heading, as GitHub makes it, so that links between the files work in both places. */
export const slugOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[`*]/g, '')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const firstCode = /^`([A-Za-z][\w-]*)`$/;

/**
 * `resolve` returns the address for a link, or undefined for a link that leads nowhere in the site: its text stays.
 * The first cell of a row in a table gets an id if it is a name in code, such as the name of an error.
 */
export function renderMarkdown(text, { resolve, identifyRows = false } = {}) {
  const renderer = {
    heading({ tokens, depth, text: title }) {
      const id = slugOf(title);
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      const content = this.parser.parseInline(tokens);
      const address = resolve ? resolve(href) : href;
      return address === undefined ? content : `<a href="${escape(address)}">${content}</a>`;
    },
    image({ href, text: about }) {
      return `<img src="${escape(resolve ? resolve(href) : href)}" alt="${escape(about)}" loading="lazy">`;
    },
    code({ text: content }) {
      return `<div class="code"><pre tabindex="0"><code>${escape(content)}</code></pre></div>\n`;
    },
    html({ text: content }) {
      return escape(content.replaceAll(/<!--[^]*?-->/g, ''));
    },
    table({ header, rows }) {
      const cell = (tag, { tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
      const head = header.map((each) => cell('th', each)).join('');
      const body = rows.map((row) => {
        const name = identifyRows && firstCode.exec(row[0].text)?.[1];
        return `<tr${name ? ` id="${name}"` : ''}>${row.map((each) => cell('td', each)).join('')}</tr>`;
      });
      return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>\n`;
    },
  };
  return raw(new Marked({ gfm: true, renderer }).parse(text, { async: false }));
}

/** The headings of a file, for its table of contents and the search. */
export function headingsOf(text) {
  const withoutCode = text.replaceAll(/^```[^]*?^```/gm, '');
  return [...withoutCode.matchAll(/^(#{1,3}) (.+)$/gm)].map(([, marks, title]) => ({
    depth: marks.length,
    title: title.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
    id: slugOf(title),
  }));
}
