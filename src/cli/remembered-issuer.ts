/** The address of the embedded issuer, in a file. With it, `ledgerline token` makes tokens that the service accepts. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readOptionalFile } from '../formats/read-optional-file.ts';

const issuerFile = (dataDir: string) => path.join(path.resolve(dataDir), 'keys', 'issuer');

export async function rememberIssuer(dataDir: string, url: string): Promise<void> {
  await mkdir(path.dirname(issuerFile(dataDir)), { recursive: true, mode: 0o700 });
  await writeFile(issuerFile(dataDir), url, { mode: 0o600 });
}

export const readIssuer = (dataDir: string) => readOptionalFile(issuerFile(dataDir));
