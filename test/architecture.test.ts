/** House rules that a reader should be able to rely on. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await readFile(path.join(source, file), 'utf8')] as const)),
);

const imports: Import[] = [...texts].flatMap(([from, text]) =>
  [...text.matchAll(/^import (type )?[^;]*?from '(\.[^']+)';/gms)].map(([, type, target]) => ({
    from,
    to: path.join(path.dirname(from), target!),
    typeOnly: type !== undefined,
  })),
);

const domains = ['phone', 'guard', 'messages', 'users', 'transactions', 'events', 'privacy'];
const room = (file: string) => (file.includes(path.sep) ? file.split(path.sep)[0]! : '');
const isStore = (file: string) => file.endsWith('.store.ts');

function offenders(rule: (one: Import) => boolean): string[] {
  return imports.filter(rule).map(({ from, to }) => `${from} → ${to}`);
}

describe('who may import whom', () => {
  it('domains know no framework, no driver, no environment, no wall clock', () => {
    for (const [file, text] of texts) {
      if (!domains.includes(room(file)) || isStore(file)) continue;
      expect([file, /from '(postgres|node:http)'|process\.env|Date\.now\(|new Date\(\)/.exec(text)?.[0]]).toEqual([
        file,
        undefined,
      ]);
    }
  });

  it('domains do not import http, db, or another domain’s store', () => {
    expect(
      offenders(
        ({ from, to }) => domains.includes(room(from)) && ['http', 'cli', 'auth', 'sandbox'].includes(room(to)),
      ),
    ).toEqual([]);
    expect(offenders(({ from, to }) => domains.includes(room(from)) && !isStore(from) && room(to) === 'db')).toEqual(
      [],
    );
    expect(offenders(({ from, to }) => domains.includes(room(from)) && isStore(to) && room(from) !== room(to))).toEqual(
      [],
    );
  });

  it('http calls domains, never a store’s code or the database', () => {
    expect(
      offenders(({ from, to, typeOnly }) => room(from) === 'http' && (room(to) === 'db' || (isStore(to) && !typeOnly))),
    ).toEqual([]);
  });

  it('gateways know only their port and the kinds of settings', () => {
    expect(offenders(({ from, to }) => room(from) === 'sms' && room(to) !== 'sms' && to !== 'config/kinds.ts')).toEqual(
      [],
    );
  });

  it('only the commands build the app', () => {
    expect(offenders(({ from, to }) => to.startsWith('app/') && !['cli', 'app'].includes(room(from)))).toEqual([]);
  });

  it('no file imports itself through others, not even types', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    function walk(file: string, above: string[]): void {
      if (above.includes(file)) throw new Error(`A circle: ${[...above, file].join(' → ')}`);
      if (done.has(file)) return;
      for (const to of next.get(file) ?? []) walk(to, [...above, file]);
      done.add(file);
    }
    for (const file of files) walk(file, []);
  });
});

it('the client takes nothing of the service, and the pages only the client', async () => {
  for (const [folder, allowed] of [
    ['client', /^client\//],
    ['web', /^(web|client)\//],
  ] as const) {
    const root = fileURLToPath(new URL('../', import.meta.url));
    const names = await readdir(path.join(root, folder), { recursive: true });
    for (const name of names.filter((each) => /\.tsx?$/.test(each) && !each.endsWith('.config.ts'))) {
      const text = await readFile(path.join(root, folder, name), 'utf8');
      for (const [, target] of text.matchAll(/from '(\.[^']+)'/g)) {
        expect(path.posix.join(folder, path.dirname(name), target!)).toMatch(allowed);
      }
    }
  }
});

describe('habits', () => {
  it('SQL stands in stores and in db/', () => {
    for (const [file, text] of texts) {
      if (isStore(file) || room(file) === 'db') continue;
      expect([file, /\b(select\s+.+\s+from|insert into|update \w+ set|delete from)\b/.exec(text)?.[0]]).toEqual([
        file,
        undefined,
      ]);
    }
  });

  it('only main ends the process', () => {
    for (const [file, text] of texts)
      if (file !== 'main.ts') expect([file, text.includes('process.exit')]).toEqual([file, false]);
  });

  it('there is no drawer for things without a place', () => {
    expect(files.filter((file) => /\b(utils?|helpers?|common|misc)\b/.test(file))).toEqual([]);
  });
});
