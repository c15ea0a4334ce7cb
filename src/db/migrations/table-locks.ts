/** The lock that a statement of a migration takes on an existing table, and the requests that it blocks. */

export type LockMode =
  | 'ACCESS EXCLUSIVE'
  | 'SHARE ROW EXCLUSIVE'
  | 'SHARE'
  | 'SHARE UPDATE EXCLUSIVE'
  | 'ROW EXCLUSIVE'
  | 'unknown';

export interface TableLock {
  /** Undefined if the statement does not name it, such as for an index that is dropped. */
  table: string | undefined;
  mode: LockMode;
  /** Why the lock is kept for a longer time. */
  work?: 'reads the whole table' | 'writes the whole table' | 'writes rows';
}

/** What a lock means to the requests that run meanwhile. */
export const lockEffects: Record<LockMode, string> = {
  'ACCESS EXCLUSIVE': 'blocks reads and writes',
  'SHARE ROW EXCLUSIVE': 'blocks writes',
  SHARE: 'blocks writes',
  'SHARE UPDATE EXCLUSIVE': 'blocks nobody',
  'ROW EXCLUSIVE': 'blocks nobody, except on the rows that it writes',
  unknown: 'effect unknown; read the statement',
};

interface Rule {
  statement: RegExp;
  lock(match: RegExpExecArray, statement: string): TableLock | undefined;
}

const name = String.raw`(?:if (?:not )?exists )?(?:only )?(?:ledgerline\.)?"?(\w+)"?`;
const rule = (pattern: string, lock: Rule['lock']): Rule => ({ statement: new RegExp(`^${pattern}`, 'i'), lock });

const rules: Rule[] = [
  rule(`create (?:unique )?index concurrently .*?\\bon ${name}`, ([, table]) => ({
    table,
    mode: 'SHARE UPDATE EXCLUSIVE',
    work: 'reads the whole table',
  })),
  rule(`create (?:unique )?index .*?\\bon ${name}`, ([, table]) => ({
    table,
    mode: 'SHARE',
    work: 'reads the whole table',
  })),
  rule('drop index concurrently', () => ({ table: undefined, mode: 'SHARE UPDATE EXCLUSIVE' })),
  rule('drop index', () => ({ table: undefined, mode: 'ACCESS EXCLUSIVE' })),
  rule(`alter table ${name} validate constraint`, ([, table]) => ({
    table,
    mode: 'SHARE UPDATE EXCLUSIVE',
    work: 'reads the whole table',
  })),
  rule(`alter table ${name}`, ([, table], statement) => ({
    table,
    mode: 'ACCESS EXCLUSIVE',
    ...workOfAlter(statement),
  })),
  rule(`(?:drop table|truncate(?: table)?) ${name}`, ([, table]) => ({ table, mode: 'ACCESS EXCLUSIVE' })),
  rule(`(?:insert into|update|delete from) ${name}`, ([, table]) => ({
    table,
    mode: 'ROW EXCLUSIVE',
    work: 'writes rows',
  })),
  rule(
    '(?:create (?:unlogged )?(?:table|type|sequence|schema)|create (?:or replace )?(?:function|view)|drop (?:function|type|view|sequence)|alter (?:function|sequence|type)|comment on|set|grant|revoke) ',
    () => undefined,
  ),
];

/** Changing a type rewrites the table; a constraint without NOT VALID is checked for every row. */
function workOfAlter(statement: string): Pick<TableLock, 'work'> {
  if (/\balter (?:column )?\w+ (?:set data )?type\b/i.test(statement)) return { work: 'writes the whole table' };
  const checksRows = /\bset not null\b|\badd (?:constraint \w+ )?(?:check|unique|primary key|foreign key)\b/i;
  return checksRows.test(statement) && !/\bnot valid\b|\busing index\b/i.test(statement)
    ? { work: 'reads the whole table' }
    : {};
}

/** Undefined for a statement that locks no existing table. */
export function lockOf(statement: string): TableLock | undefined {
  const oneLine = statement.replaceAll(/\s+/g, ' ');
  for (const { statement: pattern, lock } of rules) {
    const match = pattern.exec(oneLine);
    if (match) return lock(match, oneLine);
  }
  return { table: undefined, mode: 'unknown' };
}
