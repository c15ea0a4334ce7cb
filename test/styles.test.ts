/** The styles of the shared parts and of the console: names that cannot collide, and sizes from the tokens. */
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const web = new URL('../web/', import.meta.url);

async function stylesIn(folder: string): Promise<[file: string, text: string][]> {
  const names = (await readdir(new URL(folder, web), { recursive: true })).filter((name) => name.endsWith('.css'));
  return Promise.all(
    names.map(async (name) => [`${folder}${name}`, await readFile(new URL(`${folder}${name}`, web), 'utf8')]),
  );
}

const styles = [...(await stylesIn('ui/')), ...(await stylesIn('console/'))];
const theme = styles.find(([file]) => file === 'ui/theme.css')![1];
const parts = styles.filter(([file]) => !/(theme|tokens|palette)\.css$/.test(file));
const withoutComments = (text: string) => text.replaceAll(/\/\*[^]*?\*\//g, '');

function found(expression: RegExp): string[] {
  return parts.flatMap(([file, text]) =>
    [...withoutComments(text).matchAll(expression)].map(([match]) => `${file}: ${match.trim()}`),
  );
}

it('name classes with two words or more, except those that the theme defines for all pages', () => {
  expect(parts.length).toBeGreaterThan(10);
  const classes = found(/(?<=[\s,>(:]|^)[^{};@]*\{/g).flatMap((rule) =>
    [
      ...rule
        .split(': ')
        .slice(1)
        .join(': ')
        .matchAll(/\.([a-z][\w-]*)/g),
    ].map(([, name]) => name!),
  );
  expect(classes).toContain('filter-bar');
  const common = new Set([...theme.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name));
  expect([...new Set(classes)].filter((name) => !name.includes('-') && !common.has(name))).toEqual([]);
});

it('take sizes of text and layers from the tokens', () => {
  expect(found(/font-size: [\d.]+rem/g)).toEqual([]);
  // Within one part, what is above what needs no token.
  expect(found(/z-index: (?!1;|auto|var\(--layer-)[^;]+/g)).toEqual([]);
});

it('change at the same widths', () => {
  const widths = found(/@(?:media|container) \((?:max|min)-width: [^)]+/g).map((match) => match.split(' ').at(-1));
  expect(new Set(widths)).toEqual(new Set(['30rem', '44rem', '70rem', '38rem']));
});
