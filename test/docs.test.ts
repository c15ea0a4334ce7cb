/** The documentation holds together: links lead somewhere, and every page can be found. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

async function pagesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: folder !== '.' });
  return names
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name));
}

/** Targets of links and images that are files. */
function fileLinks(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!.split('#')[0]!)
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

it('links only to files that exist', async () => {
  const pages = (await Promise.all(['.', 'docs', 'bench', 'deploy'].map(pagesIn))).flat();
  const broken: string[] = [];
  for (const page of pages) {
    for (const link of fileLinks(await readFile(path.join(root, page), 'utf8'))) {
      if (!existsSync(path.join(root, path.dirname(page), link))) broken.push(`${page} → ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

it('shows a gateway that reads only members of a message', async () => {
  const page = await readFile(path.join(root, 'docs/how-to-add-a-gateway.md'), 'utf8');
  const port = await readFile(path.join(root, 'src/sms/gateway.ts'), 'utf8');
  const [, message = ''] = /export interface Message \{(.*?)\n\}/s.exec(port) ?? [];
  const members = [...message.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name);
  const [, names = ''] = /\bsend\(\{ (.*?) \}/.exec(page) ?? [];
  expect(names).not.toBe('');
  expect(names.split(', ').filter((name) => !members.includes(name))).toEqual([]);
});

it('names only source files that exist, and so do comments', async () => {
  const folders = ['src', 'test', 'web', 'client', 'migrations', 'attack', 'chaos', 'fuzz', 'bench', 'scripts'];
  const listed = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(path.join(root, folder), { recursive: true }))
        .filter((name) => !name.includes('node_modules'))
        .map((name) => path.join(folder, name)),
    ),
  );
  const sources = listed.flat().filter((name) => /\.(tsx?|sql|js)$/.test(name));
  const ends = sources.map((name) => `/${name}`).join('\n') + '\n';
  const pages = (await Promise.all(['.', 'docs'].map(pagesIn))).flat().filter((page) => page !== 'CHANGELOG.md');
  const missing: string[] = [];
  for (const file of [...pages, ...sources]) {
    // A page may name a file by the end of its path. The example of how-to-add-an-operation.md does not exist.
    const named = file.endsWith('.md')
      ? /`([\w./-]+\.(?:tsx?|sql))`/g
      : /(?:\*|\/\/|--) .*?\b(src\/[\w./-]+\.(?:ts|sql))\b/g;
    for (const [, name] of (await readFile(path.join(root, file), 'utf8')).matchAll(named)) {
      if (!ends.includes(`/${name}\n`) && !name!.includes('count-emails')) missing.push(`${file}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

/** The options of each command of the command line, from the table of commands. */
async function readCommands(): Promise<Map<string, string[]>> {
  const text = await readFile(path.join(root, 'src/commands.ts'), 'utf8');
  const [, filters = ''] = /function withFilterOptions(.*?)\n}/s.exec(text)!;
  const optionsIn = (part: string) => [...part.matchAll(/ption\(\s*'(--[a-z-]+)/g)].map(([, name]) => name!);
  const commands = [...text.matchAll(/(withFilterOptions\()?(\w+)\s*\.command\('([\w-]+)'\)(.*?)\.action\(/gs)];
  return new Map(
    commands.map(([, filtered, group, name, rest]) => [
      group === 'program' ? name! : `${group} ${name}`,
      optionsIn(filtered ? filters + rest : rest!),
    ]),
  );
}

/** In pages what is in backquotes and in blocks of code, in other files what is in backquotes. */
function commandsIn(file: string, text: string): string[] {
  const blocks = file.endsWith('.md')
    ? [...text.matchAll(/^```.*?^```/gms)].flatMap(([block]) => block.split('\n'))
    : [];
  const quoted = [...text.matchAll(/(?<!`)\\?`([^`]+?)\\?`/g)].map(([, code]) => code!.replaceAll(/\s+/g, ' '));
  return [...blocks, ...quoted].flatMap((code) =>
    [...code.matchAll(/(?<![\w./-])ledgerline ([a-z][^|;&#>]*)/g)].map(([, command]) => command!),
  );
}

it('names only commands and options that exist, and so do messages', async () => {
  const commands = await readCommands();
  expect(commands.get('export')).toContain('--amount-from');
  const sources = (await readdir(path.join(root, 'src'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  const pages = (await Promise.all(['.', 'docs', 'deploy'].map(pagesIn))).flat();
  const wrong: string[] = [];
  let found = 0;
  for (const file of [...pages, ...sources.map((name) => path.join('src', name))]) {
    for (const given of commandsIn(file, await readFile(path.join(root, file), 'utf8'))) {
      const [first = '', second = ''] = given.split(' ');
      const options = commands.get(`${first} ${second}`) ?? commands.get(first);
      if (options) found += 1;
      const unknown = [...given.matchAll(/(?<=\s)--[a-z-]+/g)].filter(([option]) => !options?.includes(option));
      if (unknown.length > 0) wrong.push(`${file}: ledgerline ${given}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(100);
});

it('shows every picture somewhere', async () => {
  const pages = (await Promise.all(['.', 'docs'].map(pagesIn))).flat();
  const shown = await Promise.all(
    pages.map(async (page) =>
      fileLinks(await readFile(path.join(root, page), 'utf8')).map((link) => path.join(path.dirname(page), link)),
    ),
  );
  const pictures = (await readdir(path.join(root, 'docs/images'))).map((name) => path.join('docs/images', name));
  expect(pictures.filter((picture) => !shown.flat().includes(picture))).toEqual([]);
});

it('British numbers in examples are British, not of Guernsey, Jersey or the Isle of Man', async () => {
  const pages = ['openapi.json', ...(await Promise.all(['.', 'docs'].map(pagesIn))).flat()];
  const foreign: string[] = [];
  for (const page of pages) {
    for (const [number] of (await readFile(path.join(root, page), 'utf8')).matchAll(/\+447\d{9}\b/g)) {
      if (parsePhoneNumberFromString(number)?.country !== 'GB') foreign.push(`${page}: ${number}`);
    }
  }
  expect(foreign).toEqual([]);
});

it('lists every page in docs/README.md', async () => {
  const listed = fileLinks(await readFile(path.join(root, 'docs/README.md'), 'utf8')).map((link) =>
    path.join('docs', link),
  );
  expect((await pagesIn('docs')).filter((page) => page !== 'docs/README.md' && !listed.includes(page))).toEqual([]);
});
