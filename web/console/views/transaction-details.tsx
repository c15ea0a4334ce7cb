/** One transaction of a customer: its details in groups. It is requested when an operator asks, since it is audited. */
import type { DetailedTransaction } from '../../../client/index.ts';
import { activity } from '../../intl/languages/en.ts';
import { detailGroupsOf } from '../../intl/transaction-details.ts';
import { Facts } from '../../ui/facts.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Copy } from '../parts.tsx';
import { t } from '../texts.ts';

const formats = { texts: activity, money: (decimal: string, currency: string) => `${decimal} ${currency}` };

interface TransactionDetailsProps {
  transaction: DetailedTransaction;
  onClose(): void;
}

export function TransactionDetails({ transaction, onClose }: TransactionDetailsProps) {
  const groups = detailGroupsOf(transaction, formats);
  return (
    <SidePanel title={t.customer.transaction(transaction.transactionId)} closeText={t.common.close} onClose={onClose}>
      {groups.length === 0 && <p class="soft">{t.customer.noDetails}</p>}
      {groups.map(({ title, details }) => (
        <section key={title} class="detail-group" aria-label={title}>
          <h3>{title}</h3>
          <Facts
            facts={details.map(({ label, value, copied }) => [
              label,
              <>
                <bdi>{value}</bdi> {copied !== undefined && <Copy text={copied} what={label} />}
              </>,
            ])}
          />
        </section>
      ))}
    </SidePanel>
  );
}
