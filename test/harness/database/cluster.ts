/** One real PostgreSQL for the whole run; each test file works on its own copy of a migrated template. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { forgetKeys } from '../../../src/auth/digest-key-registry.store.ts';
import { makeSigningKey } from '../../../src/auth/keys.ts';
import { startApp } from '../../../src/app/start.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { openDetected } from '../../../src/db/citus/citus.ts';
import { startEmbedded } from '../../../src/db/embedded/embedded.ts';
import { runMigrations } from '../../../src/db/migrations/migrate.ts';
import { distributeForTests, joinNodes, onNodes, readNodes, type Node } from './citus.ts';

const reaperFile = fileURLToPath(new URL('../reaper.js', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    clusterUrl: string;
    /** The database that those of the tests are copies of. */
    templateName: string;
    /** The same, after a sandbox has served it once: making the demo individual takes about a fifth of a first start. */
    sandboxTemplateName: string;
    /** The nodes, if it is a Citus. */
    citusNodes: Node[];
    /** One for all services: making a key takes longer than the rest of a start. */
    signingKey: string;
    /** The folder of all temporary files of the run, removed at its end. */
    runFolder: string;
  }
}

/** All temporary files of the run, which the reaper removes with every process that is left. */
async function startReaper(): Promise<string> {
  const runFolder = await mkdtemp(path.join(tmpdir(), 'ledgerline-run-'));
  // PostgreSQL may run as another user, who must be able to reach it.
  await chmod(runFolder, 0o711);
  // The input closes when this process ends; a process of the same group would be interrupted with it.
  const reaper = spawn(process.execPath, [reaperFile, String(process.pid), runFolder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  reaper.unref();
  (reaper.stdin as unknown as Socket).unref();
  return runFolder;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = await startReaper();
  process.env.TMPDIR = runFolder;
  const cluster = process.env.TEST_DATABASE_URL ? theirs(process.env.TEST_DATABASE_URL) : await ours();
  const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
  const nodes = await readNodes(sql);
  // Two runs may share a server.
  const templateName = `template_${randomBytes(6).toString('hex')}`;
  const onEach = (statement: string) =>
    nodes.length === 0 ? sql.unsafe(statement) : onNodes(cluster.url, nodes, 'postgres', [statement]);
  await onEach(`create database ${templateName}`);
  if (nodes.length > 0) await joinNodes(cluster.url, nodes, templateName);
  const template = databaseUrl(cluster.url, templateName);
  await runMigrations(template);
  if (nodes.length > 0) await distributeForTests(template);
  project.provide('clusterUrl', cluster.url);
  project.provide('templateName', templateName);
  const sandboxTemplateName =
    nodes.length > 0 ? templateName : await makeSandboxTemplate(sql, cluster.url, templateName);
  project.provide('sandboxTemplateName', sandboxTemplateName);
  project.provide('citusNodes', nodes);
  project.provide('signingKey', await makeSigningKey());
  project.provide('runFolder', runFolder);
  return async () => {
    if (process.env.TEST_DATABASE_URL) {
      for (const name of [templateName, sandboxTemplateName])
        await onEach(`drop database if exists ${name} with (force)`);
    }
    await sql.end();
    await cluster.stop();
  };
}

async function makeSandboxTemplate(sql: postgres.Sql, clusterUrl: string, templateName: string): Promise<string> {
  const name = `${templateName}_sandbox`;
  await sql.unsafe(`create database ${name} template ${templateName}`);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-data-'));
  const url = databaseUrl(clusterUrl, name);
  const config = loadConfig({ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url });
  const app = await startApp({ config, log: () => {}, terminal: () => {}, logFormat: 'json' });
  await app.stop();
  await rm(dataDir, { recursive: true, force: true });
  // Its keys were in that folder.
  const database = await openDetected({ url, connections: 3, statementSeconds: 5 });
  await forgetKeys(database);
  await database.close();
  return name;
}

/** Any PostgreSQL, by a role that may create databases: for runs against another version. */
function theirs(url: string) {
  return { url, stop: async () => {} };
}

async function ours() {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-test-'));
  await chmod(dataDir, 0o711);
  const embedded = await startEmbedded({
    dataDir,
    mayCreateDatabases: true,
    settings: {
      // Durability has tests of its own, against the service as it ships.
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
      // Several services at a time share it.
      max_connections: '300',
    },
  });
  return {
    url: embedded.url,
    async stop() {
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
