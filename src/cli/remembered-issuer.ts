/** The address of the embedded issuer, in a file. With it, `ledgerline token` makes tokens that the service accepts. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/load.ts';
import { readOptionalFile } from '../formats/read-optional-file.ts';

const issuerFile = (dataDir: string) => path.join(path.resolve(dataDir), 'keys', 'issuer');

export async function rememberIssuer(dataDir: string, url: string): Promise<void> {
  await mkdir(path.dirname(issuerFile(dataDir)), { recursive: true, mode: 0o700 });
  await writeFile(issuerFile(dataDir), url, { mode: 0o600 });
}

/** The address of the embedded issuer. Undefined if it is not set, and the sandbox was never started. */
export async function findIssuer({ publicUrl, dataDir }: Config): Promise<string | undefined> {
  return publicUrl ?? (await readOptionalFile(issuerFile(dataDir)));
}
