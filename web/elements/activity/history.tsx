/** The history of a transaction: when it was recorded, and what changed when. */
import { useEffect, useState } from 'preact/hooks';
import type { Transaction, TransactionVersion } from '../../../client/index.ts';
import { detailFactsOf } from '../../intl/transaction-details.ts';
import { nameOf } from '../../../src/words/words.ts';
import { detailFormatsOf, signedAmount, useViewer, type Viewer } from './viewer.ts';

/** A pending row may change any number of times. */
const shownVersions = 20;

export function History({ transaction }: { transaction: Transaction }) {
  const viewer = useViewer();
  const { client, individualId, texts, dates } = viewer;
  const [versions, setVersions] = useState<TransactionVersion[]>([]);
  const { transactionId } = transaction;

  useEffect(() => {
    const controller = new AbortController();
    client
      .getTransactionHistory({ transactionId, individualId }, { signal: controller.signal })
      // Without an answer there is no history to show; everything else in the sheet stays.
      .then(setVersions, () => setVersions([]));
    return () => controller.abort();
  }, [transaction]);

  const entries = entriesOf(versions, viewer).slice(-shownVersions);
  if (entries.length === 0) return null;
  return (
    <section class="history" aria-labelledby="history">
      <h3 id="history">{texts.history}</h3>
      <ol>
        {entries.map(({ recordedAt, lines }, index) => (
          <li key={index}>
            <time dateTime={recordedAt}>{dates.full(recordedAt)}</time>
            {lines.map((line) => (
              <p key={line} dir="auto">
                {line}
              </p>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Entry {
  recordedAt: string;
  lines: string[];
}

function entriesOf(versions: TransactionVersion[], viewer: Viewer): Entry[] {
  return versions.flatMap((version, index) => {
    const { recordedAt } = version;
    const before = versions[index - 1];
    const facts = factsOf(version, viewer);
    if (!before) return [{ recordedAt, lines: [viewer.texts.recorded] }];
    const earlier = factsOf(before, viewer);
    const lines = facts.flatMap(([name, value], at) => {
      const old = earlier[at]![1];
      return old === value ? [] : [viewer.texts.changed(name, old || '–', value || '–')];
    });
    return lines.length > 0 ? [{ recordedAt, lines }] : [];
  });
}

/** Everything that can change, as it is shown, always in this order. */
function factsOf(version: TransactionVersion, viewer: Viewer): [name: string, value: string][] {
  const { texts, locale, dates } = viewer;
  return [
    [texts.status, nameOf(texts.statuses, version.transactionStatus)],
    [texts.amount, signedAmount(version, locale)],
    [texts.when, dates.full(version.timeStamp)],
    [texts.sender, version.senderName],
    [texts.receiver, version.receiverName],
    [texts.note, version.paymentNotes],
    [texts.type, nameOf(texts.types, version.transactionType)],
    [texts.system, nameOf(texts.systems, version.paymentSystem)],
    ...detailFactsOf(version, detailFormatsOf(viewer)),
  ];
}
