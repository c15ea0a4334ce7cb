/** The lock that a statement of a migration takes on an existing table, and the requests that it blocks. */

export type LockMode = 'ACCESS EXCLUSIVE' | 'SHARE' | 'SHARE UPDATE EXCLUSIVE' | 'ROW EXCLUSIVE' | 'unknown';

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
  SHARE: 'blocks writes',
  'SHARE UPDATE EXCLUSIVE': 'blocks nobody',
  'ROW EXCLUSIVE': 'blocks nobody, except on the rows that it writes',
  unknown: 'effect unknown; read the statement',
};

type Work = TableLock['work'];

const name = String.raw`(?:if (?:not )?exists )?(?:only )?(?:ledgerline\.)?"?(\w+)"?`;

/** How a statement begins, with the name of its table; its lock, or none on an existing table; and its work. */
const rules: [pattern: string, mode: LockMode | 'none', work?: Work | ((statement: string) => Work)][] = [
  [`create (?:unique )?index concurrently .*?\\bon ${name}`, 'SHARE UPDATE EXCLUSIVE', 'reads the whole table'],
  [`create (?:unique )?index .*?\\bon ${name}`, 'SHARE', 'reads the whole table'],
  ['drop index concurrently', 'SHARE UPDATE EXCLUSIVE'],
  ['drop index', 'ACCESS EXCLUSIVE'],
  [`alter table ${name} validate constraint`, 'SHARE UPDATE EXCLUSIVE', 'reads the whole table'],
  [`alter table ${name}`, 'ACCESS EXCLUSIVE', workOfAlter],
  [`(?:drop table|truncate(?: table)?) ${name}`, 'ACCESS EXCLUSIVE'],
  [`(?:insert into|update|delete from) ${name}`, 'ROW EXCLUSIVE', 'writes rows'],
  ['create (?:unlogged )?(?:table|type|sequence|schema) ', 'none'],
  ['create (?:or replace )?(?:function|view) ', 'none'],
  ['drop (?:function|type|view|sequence) ', 'none'],
  ['alter (?:function|sequence|type) ', 'none'],
  ['(?:comment on|set|grant|revoke) ', 'none'],
];

/** Changing a type rewrites the table; a constraint without NOT VALID is checked for every row. */
function workOfAlter(statement: string): Work {
  if (/\balter (?:column )?\w+ (?:set data )?type\b/i.test(statement)) return 'writes the whole table';
  const checksRows = /\bset not null\b|\badd (?:constraint \w+ )?(?:check|unique|primary key|foreign key)\b/i;
  return checksRows.test(statement) && !/\bnot valid\b|\busing index\b/i.test(statement)
    ? 'reads the whole table'
    : undefined;
}

/** Undefined for a statement that locks no existing table. */
export function lockOf(statement: string): TableLock | undefined {
  const oneLine = statement.replaceAll(/\s+/g, ' ');
  for (const [pattern, mode, given] of rules) {
    const match = new RegExp(`^${pattern}`, 'i').exec(oneLine);
    if (!match) continue;
    if (mode === 'none') return undefined;
    const work = typeof given === 'function' ? given(oneLine) : given;
    return { table: match[1], mode, ...(work && { work }) };
  }
  return { table: undefined, mode: 'unknown' };
}
