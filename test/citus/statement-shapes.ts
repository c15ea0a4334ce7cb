/** Finds, by their text alone, statements that Citus refuses or would run on every shard. */
import { readdirSync, readFileSync } from 'node:fs';
import { distributedTables } from '../../src/db/citus/citus.ts';
import { tables as allTables } from '../../src/privacy/personal-data.ts';

const distributed = new Set(distributedTables.map(({ table }) => table));
const local = new Set(Object.keys(allTables).filter((table) => !distributed.has(table)));

/** Template literals and quoted texts of a TypeScript file that hold SQL; a template in a placeholder is one of its own. */
export function statementsOf(source: string): string[] {
  const statements: string[] = [];
  let place = 0;

  function readTemplate(): string {
    let text = '';
    while (place < source.length) {
      const character = source[place]!;
      if (character === '\\') {
        text += source.slice(place, place + 2);
        place += 2;
      } else if (character === '`') {
        place += 1;
        break;
      } else if (source.startsWith('${', place)) {
        place += 2;
        text += `\${${readPlaceholder()}}`;
      } else {
        text += character;
        place += 1;
      }
    }
    statements.push(text);
    return text;
  }

  function readPlaceholder(): string {
    const begun = place;
    for (let depth = 1; place < source.length;) {
      const character = source[place]!;
      place += 1;
      if (character === '`') readTemplate();
      else if (character === '{') depth += 1;
      else if (character === '}' && (depth -= 1) === 0) break;
    }
    return source.slice(begun, place - 1);
  }

  while (place < source.length) {
    const character = source[place]!;
    place += 1;
    if (character === '`') readTemplate();
    else if (character === '/' && source[place] === '/') place = lineEnd(source, place);
    else if (character === '/' && source[place] === '*') place = source.indexOf('*/', place) + 2;
  }
  return statements.filter((text) => /\b(?:select|insert into|update|delete from)\b/.test(text));
}

const lineEnd = (source: string, from: number) => {
  const end = source.indexOf('\n', from);
  return end < 0 ? source.length : end;
};

const functionTexts = readdirSync('src/db/functions').flatMap((file) =>
  readFileSync(`src/db/functions/${file}`, 'utf8')
    .replaceAll(/--.*$/gm, '')
    .split(/(?=create or replace function)/)
    .flatMap((text) => {
      const name = /create or replace function (\w+)/.exec(text)?.[1];
      return name === undefined ? [] : [{ name, text }];
    }),
);

/** Our functions that read or write a table, themselves or by another function. */
function findFunctionsWithTables(): Set<string> {
  const found = new Set(functionTexts.filter(({ text }) => usesOf(text).length > 0).map(({ name }) => name));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { name, text } of functionTexts) {
      if ([...found].some((other) => other !== name && calls(text, other))) found.add(name);
    }
  }
  return found;
}

function calls(statement: string, name: string): boolean {
  return new RegExp(`(?<!function )\\b${name}\\(`).test(statement);
}

interface Use {
  table: string;
  alias: string;
}

const keywords = new Set(['where', 'on', 'set', 'order', 'join', 'left', 'cross', 'select', 'using', 'limit', 'for']);

/** The tables that a statement reads or writes. */
function usesOf(statement: string): Use[] {
  const found = statement.matchAll(
    /\b(?:from|join|into|update|using|,)\s+(?:ledgerline\.)?(\w+)(?=(?:\s+(?:as\s+)?(\w+))?)/g,
  );
  return [...found].flatMap(([, table, alias]) =>
    distributed.has(table!) || local.has(table!)
      ? [{ table: table!, alias: alias && !keywords.has(alias) ? alias : table! }]
      : [],
  );
}

interface Shape {
  because: string;
  isFound(statement: string, uses: Use[]): boolean;
}

const isWrite = (statement: string) => /\b(?:insert into|delete from|update\s+\w+(?:\s+\w+)?\s+set)\b/.test(statement);
const rowLock = /\bfor (?:no key update|update|share|key share)\b/;
const functionTable = /\b(?:unnest|json_to_recordset|jsonb_to_recordset|generate_series)\(/;

/** Whether a column of a distributed table is compared with one of a local table. */
function isJoined(statement: string, uses: Use[]): boolean {
  const aliases = (wanted: Set<string>) => uses.filter(({ table }) => wanted.has(table)).map(({ alias }) => alias);
  return aliases(distributed).some((one) =>
    aliases(local).some((other) =>
      new RegExp(`\\b${one}\\.\\w+ = ${other}\\.|\\b${other}\\.\\w+ = ${one}\\.`).test(statement),
    ),
  );
}

const functionsWithTables = findFunctionsWithTables();

/** Each is refused, or worse, as research on a real Citus has shown: docs/citus.md lists them for people. */
export const shapes: Shape[] = [
  {
    because: 'a subquery without a column, beside a distributed table',
    isFound: (statement) => /\(\s*select from\b/.test(statement),
  },
  {
    because: 'a write that joins a local with a distributed table',
    isFound: (statement, uses) => isWrite(statement) && isJoined(statement, uses),
  },
  {
    because: 'a row lock on a distributed table that is not by one key or by the ids of one shard',
    isFound: (statement, uses) =>
      rowLock.test(statement) &&
      !uses.some(({ table }) => local.has(table)) &&
      !/\bid = (?:\$\{|\$\d|\w+\.?\w*\b(?!\())|array\(shard\)/.test(statement.replaceAll(/\bid = any\(/g, '')),
  },
  {
    because: 'a row lock without a write, which does not keep the shard from being moved',
    isFound: (statement, uses) =>
      rowLock.test(statement) && !isWrite(statement) && !uses.some(({ table }) => local.has(table)),
  },
  {
    because: 'a row lock in an insert that reads a distributed table',
    isFound: (statement) => rowLock.test(statement) && /\binsert into\b/.test(statement),
  },
  {
    because: 'a lateral subquery with offset or limit over a function, without the ids of the shard',
    isFound: (statement) =>
      functionTable.test(statement) &&
      /\blateral \([^)]*\b(?:transactions|users|transaction_blocks)\b[\s\S]*\b(?:offset|limit)\b/.test(statement) &&
      !/array\(shard\)|inShard|shard \?/.test(statement),
  },
  {
    because: 'nextval or setval in a statement about a distributed table',
    isFound: (statement) => /\b(?:nextval|setval)\(/.test(statement),
  },
  {
    because: 'a column set to a subscript of an array, which ends the coordinator',
    isFound: (statement, uses) =>
      uses.some(({ table }) => new RegExp(`\\bupdate\\s+${table}\\b`).test(statement) && distributed.has(table)) &&
      /\bset\b[\s\S]*?\b\w+ = (?:\w+\.)?\w+\[/.test(statement),
  },
  {
    because: 'a function with tables beside a distributed table, which runs on a worker',
    isFound: (statement) =>
      !/\bcreate or replace function\b/.test(statement) &&
      [...functionsWithTables].some((name) => calls(statement, name)),
  },
  {
    because: 'a SQL function with parameters that reads a distributed table',
    isFound: (statement) => /\blanguage sql\b/.test(statement),
  },
];

/** Why Citus would refuse a statement; nothing for one without a distributed table. */
export function refusedShapes(statement: string): string[] {
  const uses = usesOf(statement);
  if (!uses.some(({ table }) => distributed.has(table))) return [];
  return shapes.filter(({ isFound }) => isFound(statement, uses)).map(({ because }) => because);
}
