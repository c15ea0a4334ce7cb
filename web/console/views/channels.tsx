/** Cost and delivery by channel. */
import type { OperatorPerformance } from '../../../client/index.ts';
import { formatMoney, formatNumber, formatShare, formatSpan } from '../format.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../frame.tsx';
import { t } from '../texts.ts';

/** Shown once a message went by another channel than SMS. */
export function Channels({ channels }: { channels: OperatorPerformance['channels'] }) {
  if (channels.every(({ channel }) => channel === 'sms')) return null;
  const names: Record<string, string> = t.messages.channels;
  return (
    <Panel title={t.overview.byChannel}>
      <DataTable
        columns={[t.messages.channel, t.overview.sent, t.overview.delivered, t.overview.deliveryTime, t.overview.cost]}
        rows={channels.map(({ channel, accepted, delivered, medianSeconds, cost }) => ({
          key: channel,
          cells: [
            names[channel] ?? channel,
            formatNumber(accepted),
            // Without receipts it is not known, as above.
            delivered > 0 ? formatShare(delivered, accepted) : null,
            medianSeconds === null ? null : formatSpan(medianSeconds),
            formatMoney(cost),
          ],
        }))}
      />
    </Panel>
  );
}
