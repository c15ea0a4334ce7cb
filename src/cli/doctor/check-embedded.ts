/** The embedded PostgreSQL and its folder. */
import { existsSync } from 'node:fs';
import { access, constants, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/load.ts';
import { findPackage } from '../../db/embedded/binaries.ts';
import { findingOf, okFinding, problemFinding, type Finding } from './finding.ts';

export async function checkEmbedded({ dataDir }: Config): Promise<Finding[]> {
  const folder = path.resolve(dataDir);
  const holder = await readFile(path.join(folder, 'lock'), 'utf8').catch(() => '');
  return [
    await checkPackage(),
    await checkFolder(folder),
    ...(holder
      ? [okFinding('Data directory', `the service was started on it as process ${Number.parseInt(holder, 10)}`)]
      : []),
  ];
}

function checkPackage(): Promise<Finding> {
  return findingOf('Embedded PostgreSQL', 'Or set DATABASE_URL to another PostgreSQL.', async () => {
    const { version } = await findPackage();
    return okFinding('Embedded PostgreSQL', `${version} is installed`);
  });
}

async function checkFolder(folder: string): Promise<Finding> {
  const isWritable = await access(existsSync(folder) ? folder : path.dirname(folder), constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable
    ? okFinding('Data directory', folder)
    : problemFinding(
        'Data directory',
        `${folder} cannot be written to.`,
        'Set DATA_DIR to a folder that this user owns.',
      );
}
