/** One transaction of a customer: its details in groups. It is requested when an operator asks, since it is audited. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DetailedTransaction } from '../../../client/index.ts';
import { activity } from '../../intl/languages/en.ts';
import { detailGroupsOf, type ShownDetail } from '../../intl/transaction-details.ts';
import { t } from '../texts.ts';

const formats = { texts: activity, money: (decimal: string, currency: string) => `${decimal} ${currency}` };

interface TransactionDetailsProps {
  transaction: DetailedTransaction;
  onClose(): void;
}

export function TransactionDetails({ transaction, onClose }: TransactionDetailsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const groups = detailGroupsOf(transaction, formats);
  // The heading gets the focus, so that a reader continues here.
  useLayoutEffect(() => heading.current?.focus(), [transaction]);
  return (
    <section class="transaction" aria-labelledby="transaction">
      <header class="panel-title">
        <h3 id="transaction" ref={heading} tabIndex={-1}>
          {t.customer.transaction(transaction.transactionId)}
        </h3>
        <button type="button" class="quiet small" onClick={onClose}>
          {t.customer.closeDetails}
        </button>
      </header>
      {groups.length === 0 && <p class="soft">{t.customer.noDetails}</p>}
      <div class="groups">
        {groups.map(({ title, details }) => (
          <section key={title} aria-label={title}>
            <h4>{title}</h4>
            <dl>
              {details.map((detail) => (
                <Detail key={detail.label} {...detail} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </section>
  );
}

function Detail({ label, value, copied }: ShownDetail) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <bdi>{value}</bdi> {copied !== undefined && <CopyButton text={copied} what={label} />}
      </dd>
    </div>
  );
}

function CopyButton({ text, what }: { text: string; what: string }) {
  const [label, setLabel] = useState(activity.copy);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setLabel(activity.copied);
    } catch {
      // The browser does not allow it.
      setLabel(activity.notCopied);
    }
  }
  return (
    <button type="button" class="quiet small" aria-label={`${label}: ${what}`} onClick={copy}>
      {label}
    </button>
  );
}
