/** Writes the documentation site into dist/web/docs/: the guides of docs/ and the operations of openapi.json. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { escape } from './docs/html.js';
import { guideGroups, makeSite } from './docs/site.js';

const root = new URL('../', import.meta.url);
const target = new URL('dist/web/docs/', root);

const guides = new Map();
for (const name of Object.values(guideGroups).flat()) {
  const text = await readFile(new URL(`docs/${name}.md`, root), 'utf8');
  guides.set(name, { text, title: /^# (.+)$/m.exec(text)[1] });
}
const document = JSON.parse(await readFile(new URL('openapi.json', root), 'utf8'));
const template = await readFile(new URL('dist/web/docs.html', root), 'utf8');

const { pages, search } = makeSite(document, guides);
for (const { address, title, navigation, content } of pages) {
  const file = new URL(`.${address === '/docs' ? '/index' : address.slice('/docs'.length)}.html`, target);
  await mkdir(new URL('.', file), { recursive: true });
  const fill = { '<!--title-->': escape(title), '<!--navigation-->': navigation, '<!--content-->': content };
  await writeFile(
    file,
    Object.entries(fill).reduce((text, [mark, value]) => text.replace(mark, () => String(value)), template),
  );
}
await writeFile(new URL('search.json', target), JSON.stringify(search));
const images = new Set(
  pages.flatMap(({ content }) => [...String(content).matchAll(/\/docs\/images\/([\w.-]+)/g)].map(([, name]) => name)),
);
for (const name of images) await cp(new URL(`docs/images/${name}`, root), new URL(`images/${name}`, target));
