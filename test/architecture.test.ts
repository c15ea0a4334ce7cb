/** The rules about imports and habits that a reader may rely on. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

async function readFolder(folder: string, isSource = /\.tsx?$/): Promise<Map<string, string>> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  // The test browser and what the benchmarks compare us with are installed below their folders.
  const sources = names.filter(
    (name) => isSource.test(name) && !name.endsWith('.config.ts') && !name.includes('node_modules'),
  );
  return new Map(
    await Promise.all(
      sources.map(async (name) => [name, await readFile(path.join(root, folder, name), 'utf8')] as const),
    ),
  );
}

interface Import {
  from: string;
  to: string;
}

/** Imports and re-exports of our own files, those of types included. */
function importsOf(texts: Map<string, string>): Import[] {
  return [...texts].flatMap(([from, text]) =>
    [...text.matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';|import\('(\.[^']+)'\)/gms)].map(
      ([, target, loaded]) => ({ from, to: path.posix.join(path.posix.dirname(from), (target ?? loaded)!) }),
    ),
  );
}

const texts = await readFolder('src');
const files = [...texts.keys()];
const imports = importsOf(texts);

/** From the top to the bottom. A file imports files of its own layer and of those below, never of one above. */
const layers: RegExp[] = [
  /^(main|commands)\.ts$/,
  /^cli\//,
  /^app\//,
  /^http\/routes\//,
  /^http\//,
  /^auth\//,
  /^config\//,
  /^(phone|codes|confirmations|guard|audit|messages|users|transactions|events|privacy|sandbox)\//,
  /^(sms|egress|statements)\//,
  /^db\//,
  /^(crypto|formats|monitoring|network|sharing|tracing|values|words)\/|^(errors|package-root|version)\.ts$/,
];

/** Files that only compute. */
const pure = [
  'auth/caller.ts',
  'auth/digest-key-registry.ts',
  'auth/token-error.ts',
  'codes/code.ts',
  'codes/test-numbers.ts',
  'confirmations/confirmation-path.ts',
  'confirmations/terms.ts',
  'crypto/digest-keys.ts',
  'crypto/seal.ts',
  'events/catalogue.ts',
  'events/cursor.ts',
  'events/webhooks/delivery-state.ts',
  'guard/evidence.ts',
  'guard/limits.ts',
  'guard/ranges/range-limits.ts',
  'guard/ranges/ranges.ts',
  'guard/rules.ts',
  'guard/source.ts',
  'guard/windows.ts',
  'sms/channels.ts',
  'transactions/amount.ts',
  'transactions/details/account-numbers.ts',
  'transactions/details/detail-members.ts',
  'transactions/details/details.ts',
  'transactions/filter.ts',
  'transactions/filter-input.ts',
  'transactions/hash-individual.ts',
  'transactions/limits.ts',
  'transactions/list/block-terms.ts',
  'transactions/locale.ts',
  'transactions/period.ts',
  'transactions/record/record-rules.ts',
  'transactions/row.ts',
  'transactions/transaction.ts',
  'values/email.ts',
  'values/instant.ts',
  'values/network.ts',
  'values/phone-number.ts',
  'values/time-zone.ts',
];

const domains = [
  'phone',
  'codes',
  'confirmations',
  'guard',
  'audit',
  'messages',
  'users',
  'transactions',
  'events',
  'privacy',
  'sandbox',
];
const folderOf = (file: string) => (file.includes('/') ? file.split('/')[0]! : '');
/** The folder of a file, or the file itself if it is directly in src/. */
const roomOf = (file: string) => folderOf(file) || file;
const isDomain = (file: string) => domains.includes(folderOf(file));
const isStore = (file: string) => file.endsWith('.store.ts');
const isPure = (file: string) => pure.includes(file);
/** The clock's file holds the arithmetic of dates too. */
const isBase = (file: string) => ['errors.ts', 'values/clock.ts'].includes(file) || file.startsWith('formats/');

function layerOf(file: string): number {
  const layer = layers.findIndex((expression) => expression.test(file));
  if (layer < 0) throw new Error(`${file} belongs to no layer`);
  return layer;
}

/** A circle as text, such as `a.ts → b.ts → a.ts`. */
function findCircle(arrows: Import[]): string | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  function walk(place: string, above: string[]): string | undefined {
    if (above.includes(place)) return [...above.slice(above.indexOf(place)), place].join(' → ');
    if (done.has(place)) return undefined;
    for (const to of next.get(place) ?? []) {
      const circle = walk(to, [...above, place]);
      if (circle) return circle;
    }
    done.add(place);
    return undefined;
  }
  return [...next.keys()].map((place) => walk(place, [])).find((circle) => circle !== undefined);
}

function offenders(isWrong: (found: Import) => boolean): string[] {
  return imports.filter(isWrong).map(({ from, to }) => `${from} → ${to}`);
}

describe('imports, including those of types', () => {
  it('point to the same layer or to a lower one', () => {
    expect(offenders(({ from, to }) => layerOf(to) < layerOf(from))).toEqual([]);
  });

  it('come from folders of at most 30 files, so that a name finds its file', () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 30)).toEqual([]);
  });

  it('form no circles, neither of files nor of folders', () => {
    expect(findCircle(imports)).toBeUndefined();
    const betweenFolders = imports
      .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
      .filter(({ from, to }) => from !== to);
    expect(findCircle(betweenFolders)).toBeUndefined();
  });

  it('pure files import only errors, formats, date arithmetic and other pure files', () => {
    expect(pure.filter((file) => !files.includes(file))).toEqual([]);
    expect(offenders(({ from, to }) => isPure(from) && !isBase(to) && !isPure(to))).toEqual([]);
    expect(offenders(({ from, to }) => isBase(from) && !isBase(to))).toEqual([]);
  });

  it('domains import no http, commands, tokens, settings or sandbox, and only their stores import the database', () => {
    const foreign = ['http', 'cli', 'app', 'auth', 'config'];
    expect(offenders(({ from, to }) => isDomain(from) && foreign.includes(folderOf(to)))).toEqual([]);
    expect(
      offenders(({ from, to }) => isDomain(from) && folderOf(from) !== 'sandbox' && folderOf(to) === 'sandbox'),
    ).toEqual([]);
    expect(offenders(({ from, to }) => isDomain(from) && !isStore(from) && folderOf(to) === 'db')).toEqual([]);
  });

  it('a store is imported only by its own domain, app and cli', () => {
    expect(
      offenders(({ from, to }) => isStore(to) && folderOf(from) !== folderOf(to) && !/^(app|cli)\//.test(from)),
    ).toEqual([]);
  });

  it('http imports no store and no database, and its generic files no domain', () => {
    expect(offenders(({ from, to }) => folderOf(from) === 'http' && (folderOf(to) === 'db' || isStore(to)))).toEqual(
      [],
    );
    const isGeneric = (file: string) => /^http\/[^/]+$/.test(file);
    expect(offenders(({ from, to }) => isGeneric(from) && isDomain(to))).toEqual([]);
  });

  it('a gateway imports only its port and the kinds of settings', () => {
    const isPort = (file: string) =>
      folderOf(file) === 'sms' ||
      [
        'tracing/propagate.ts',
        'formats/setting-kinds.ts',
        'network/give-time.ts',
        'network/shared-lookup.ts',
        'crypto/constant-time.ts',
        'formats/retry-after.ts',
        'crypto/standard-webhooks.ts',
        'network/tls-failure.ts',
      ].includes(file);
    expect(offenders(({ from, to }) => folderOf(from) === 'sms' && !isPort(to))).toEqual([]);
    const isGateway = (file: string) => /^sms\/gateways\/(?!index\.ts)/.test(file);
    expect(offenders(({ from, to }) => isGateway(from) && isGateway(to))).toEqual([]);
  });

  it('only commands import the app', () => {
    expect(offenders(({ from, to }) => folderOf(to) === 'app' && !['cli', 'app'].includes(folderOf(from)))).toEqual([]);
  });

  it('the client imports only itself, and the pages only themselves, the client and the shared words', async () => {
    const client = importsOf(await readFolder('client'));
    expect(client.filter(({ to }) => to.startsWith('..'))).toEqual([]);
    const web = importsOf(await readFolder('web'));
    expect(web.filter(({ to }) => to.startsWith('..') && !/^\.\.\/(client|src\/words)\//.test(to))).toEqual([]);
  });

  it('a room of the pages imports only the rooms below it', async () => {
    const rooms = ['intl', 'data', 'ui', 'elements', 'pages', 'console'];
    const roomOf = (file: string) => rooms.indexOf(file.split('/')[0]!);
    const web = importsOf(await readFolder('web')).filter(({ to }) => !to.startsWith('..'));
    expect(web.length).toBeGreaterThan(200);
    expect(web.filter(({ from }) => roomOf(from) === -1)).toEqual([]);
    expect(web.filter(({ from, to }) => roomOf(to) > roomOf(from))).toEqual([]);
  });
});

describe('source files', () => {
  const linesOf = (isWrong: (file: string, line: string) => boolean) =>
    [...texts].flatMap(([file, text]) =>
      text
        .split('\n')
        .filter((line) => isWrong(file, line))
        .map((line) => `${file}: ${line.trim()}`),
    );

  it('of domains use no server, no driver, no environment variable and no wall clock', () => {
    const foreign = /from '(pg|pg-copy-streams|node:http)'|process\.env|Date\.now\(|new Date\(\)/;
    expect(linesOf((file, line) => isDomain(file) && !isStore(file) && foreign.test(line))).toEqual([]);
  });

  it('use the driver in one file, and only by its documented interface', () => {
    expect(linesOf((_, line) => /from '(pg|postgres)\b[^']*'/.test(line)).map((line) => line.split(':')[0])).toEqual([
      'db/sessions/session.ts',
      'db/sessions/session.ts',
    ]);
    const internals = /\.(_\w+|prototype|queryQueue|activeQuery|connection|processID|secretKey)\b|Reflect\./;
    expect(linesOf((file, line) => folderOf(file) === 'db' && internals.test(line))).toEqual([]);
  });

  it('contain SQL only in stores and in db/', () => {
    const sql = /\b(select\s+.+\s+from|insert into|update \w+ set|delete from)\b/;
    for (const [file, text] of texts) {
      if (isStore(file) || folderOf(file) === 'db') continue;
      expect([file, sql.exec(text)?.[0]]).toEqual([file, undefined]);
    }
  });

  it('pass more than five parameters to a database function by name', async () => {
    const functions = await readFolder('src/db/functions', /\.sql$/);
    const sources = [...texts, ...functions].map(([file, text]) => [
      file,
      text.replaceAll(/--.*|^create .* function .*/gm, ''),
    ]);
    const long = [...functions.values()].flatMap((text) =>
      [
        ...text
          .replaceAll(/--.*/g, '')
          .matchAll(/create or replace function (\w+)\s*\((.*?)\)\s*(?:returns|language)/gs),
      ]
        .filter(([, , parameters]) => parameters!.split(',').filter((one) => !/^\s*out /.test(one)).length > 5)
        .map(([, name]) => name!),
    );
    expect(long).toContain('reserve_send');
    // The first argument is a name, or all of them are made by `namedParameters`.
    const byPosition = new RegExp(`\\b(?:${long.join('|')})\\((?!\\s*(?:\\w+ =>|\\$\\{\\w+\\.asArguments))`);
    expect(sources.filter(([, text]) => byPosition.test(text!)).map(([file]) => file)).toEqual([]);
  });

  it('define at most one operation each', () => {
    const routes = files.filter((file) => file.startsWith('http/routes/'));
    expect(routes.filter((file) => texts.get(file)!.split('operation({').length > 2)).toEqual([]);
  });

  it('resolve host names in two files, so that no name can occupy all threads of Node', () => {
    const resolvers = ['egress/resolver.ts', 'network/shared-lookup.ts'];
    expect(linesOf((file, line) => !resolvers.includes(file) && /import \{.*'node:dns/.test(line))).toEqual([]);
    const connects = /^import \{[^}]*\b(connect|request|Agent)\b[^}]*\} from 'node:(net|tls|http|https)'/m;
    const opening = files.filter((file) => connects.test(texts.get(file)!));
    expect(opening).not.toEqual([]);
    expect(opening.filter((file) => !texts.get(file)!.includes('lookup'))).toEqual([]);
  });

  it('end the process only in main.ts', () => {
    expect(linesOf((file, line) => file !== 'main.ts' && line.includes('process.exit'))).toEqual([]);
  });

  it('begin transactions only where the end of a session is seen to', () => {
    const begins = /\b(sql|pool|transactions?)\.begin\(/;
    expect(linesOf((file, line) => file !== 'db/transaction.ts' && begins.test(line))).toEqual([]);
  });

  it('swallow no errors', () => {
    expect(linesOf((_, line) => /catch\(\(\) => \{\s*\}\)|catch \{\s*\}/.test(line))).toEqual([]);
  });

  it('take a file for missing only if it is: see read-optional-file.ts', () => {
    // Doctor reports a folder that it cannot read in a line of its own.
    const reports = 'cli/doctor/check-embedded.ts';
    expect(linesOf((file, line) => file !== reports && /readFile\(.*\.catch\(\(\) =>/.test(line))).toEqual([]);
  });

  it('have at most 400 lines, here and in every other folder; generated files and tables of settings and texts aside', async () => {
    const folders = ['src', 'test', 'web', 'client', 'bench', 'attack', 'chaos', 'fuzz', 'scripts'];
    const tooLong: string[] = [];
    for (const folder of folders) {
      for (const [file, text] of await readFolder(folder, /\.(tsx?|js)$/)) {
        if (text.split('\n').length > 401) tooLong.push(`${folder}/${file}`);
      }
    }
    const generated = 'client/types.ts';
    const isTable = (file: string) => file.startsWith('src/config/settings/') || file === 'web/console/texts.ts';
    expect(tooLong).toContain(generated);
    expect(tooLong.filter((file) => file !== generated && !isTable(file))).toEqual([]);
  });

  it('have names that say what they contain', () => {
    expect(files.filter((file) => /\b(utils?|helpers?|common|misc)\b/.test(file))).toEqual([]);
  });

  it('name a phone number phoneNumber (the value), e164 (its text) or maskedPhone', () => {
    // Columns and members of the API are called `phone`; so are the wired domain and an option of the command line.
    const others = [
      'app/start.ts',
      'cli/find-user.ts',
      'cli/guard/decisions.ts',
      'http/openapi/examples.ts',
      'http/routes/guard/decisions.ts',
      'http/routes/users/read-user-data.ts',
      'privacy/personal-data.ts',
      'users/import-users.ts',
    ];
    const named: string[] = [];
    for (const [file, text] of texts) {
      if (file.endsWith('.store.ts')) continue;
      new Visitor({ Identifier: ({ name }) => void (name === 'phone' && named.push(file)) }).visit(
        parseSync(file, text).program,
      );
    }
    expect([...new Set(named)].toSorted()).toEqual(others);
  });

  it('define each exported name once, so that a search for it finds one concept', () => {
    const definition = /^export (?:async )?(?:const(?: \{)?|function\*?|class|interface|type) (\w+)/gm;
    const definedIn = new Map<string, string[]>();
    for (const [file, text] of texts) {
      const names = new Set([...text.matchAll(definition)].map(([, name]) => name!));
      for (const name of names) definedIn.set(name, [...(definedIn.get(name) ?? []), file]);
    }
    // `text`, `integer`, `list` and `word` are kinds of settings, and shapes of JSON. No file imports both.
    const vocabularies = ['formats/setting-kinds.ts', 'formats/record.ts', 'formats/shape.ts'];
    const repeated = [...definedIn].filter(([, where]) => where.length > 1);
    expect(repeated.filter(([, where]) => !where.every((file) => vocabularies.includes(file)))).toEqual([]);
    const importsBoth = (file: string) => {
      const targets = imports.filter(({ from }) => from === file).map(({ to }) => to);
      return (
        targets.includes('formats/setting-kinds.ts') && targets.some((to) => /^formats\/(record|shape)\.ts$/.test(to))
      );
    };
    expect(files.filter(importsBoth)).toEqual([]);
  });

  // Such an effect runs some time after the screen was drawn. What happened before then would be missed or undone.
  it('of the pages listen, move the focus and fill in fields before the next paint', async () => {
    const late = /^  useEffect\((?:.*\);$|[^]*?^  [})].*;$)/gm;
    const belongsBefore = /addEventListener|\.focus\(|\.value = |setTyped|setActive/;
    const found = [...(await readFolder('web'))].flatMap(([file, text]) =>
      [...text.matchAll(late)].filter(([effect]) => belongsBefore.test(effect)).map(([effect]) => `${file}: ${effect}`),
    );
    expect(found).toEqual([]);
  });
});
