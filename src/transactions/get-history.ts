/** Every version of one transaction, oldest first. */
import { severalIndividuals, unknownTransaction } from '../errors.ts';
import { writeTime } from '../values/instant.ts';
import type { HistoryStore, Version } from './history.store.ts';

const versionsAtOnce = 500;

export function createGetHistory(store: HistoryStore) {
  /** The versions' JSON, in parts: there is no limit on how often a pending row changes. */
  return async function getHistory(transactionId: string, individualId?: number): Promise<AsyncIterable<string[]>> {
    const [holder, another] = await store.findHolders(transactionId, individualId);
    if (holder === undefined) throw unknownTransaction();
    if (another !== undefined) throw severalIndividuals();
    return readAll(store, { individualId: holder, transactionId });
  };
}

async function* readAll(
  store: HistoryStore,
  key: { individualId: number; transactionId: string },
): AsyncGenerator<string[]> {
  let last = 0;
  for (;;) {
    const versions = await store.readVersions(key, last, versionsAtOnce);
    yield versions.map(writeVersion);
    if (versions.length < versionsAtOnce) return;
    last = versions.at(-1)!.version;
  }
}

function writeVersion({ body, recordedAt }: Version): string {
  return `${body.slice(0, -1)},"recordedAt":"${writeTime(recordedAt)}"}`;
}
