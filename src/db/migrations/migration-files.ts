/** The numbered files in `migrations/`, and what the first line of each says about it. */
import { readdir, readFile } from 'node:fs/promises';
import { packageRoot } from '../../package-root.ts';

/**
 * `expand`: a node of the previous release keeps working (a new table, column or index). `contract`: it does not,
 * because something that it uses is removed or changed.
 */
export type MigrationKind = 'expand' | 'contract';

export interface Migration {
  name: string;
  kind: MigrationKind;
  /** Its statements run one by one, because `create index concurrently` cannot run in a transaction. */
  isOutsideTransaction: boolean;
  text: string;
}

export const migrationsFolder = new URL('migrations/', packageRoot);

const header = /^-- (expand|contract)(, outside a transaction)?(:|$)/;

/** In the order in which they are applied. */
export async function readMigrationFiles(folder: URL = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => parseMigration(name, await readFile(new URL(name, folder), 'utf8'))));
}

export function parseMigration(name: string, text: string): Migration {
  const match = header.exec(text.split('\n', 1)[0]!.trimEnd());
  if (!match) {
    throw new Error(
      `${name} must begin with "-- expand" or "-- contract", with ", outside a transaction" behind it where it needs that.`,
    );
  }
  return { name, kind: match[1] as MigrationKind, isOutsideTransaction: match[2] !== undefined, text };
}
