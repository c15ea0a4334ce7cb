/** Cost and delivery by channel. */
import type { OperatorPerformance } from '../../../client/index.ts';
import { formatMoney, formatNumber, formatShare, formatSpan } from '../format.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../frame.tsx';
import { channelNames } from '../message-names.ts';

/** Shown once a message went by another channel than SMS. */
export function Channels({ channels }: { channels: OperatorPerformance['channels'] }) {
  if (channels.every(({ channel }) => channel === 'sms')) return null;
  const names: Record<string, string> = channelNames;
  return (
    <Panel title="By channel">
      <DataTable
        columns={['Channel', 'Sent', 'Delivered', 'Delivery time', 'Cost']}
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
