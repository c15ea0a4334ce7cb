/** One real PostgreSQL for the whole run; each test file works on its own copy of a migrated template. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clusterUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-test-'));
  await chmod(dataDir, 0o711);
  const embedded = await startEmbedded({
    dataDir,
    mayCreateDatabases: true,
    // Durability has tests of its own, against the service as it ships.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  const sql = postgres(embedded.url, { max: 1, onnotice: () => {} });
  await sql.unsafe('create database template_ledgerline');
  await migrate(databaseUrl(embedded.url, 'template_ledgerline'));
  await sql.end();
  project.provide('clusterUrl', embedded.url);
  return async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

export function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
