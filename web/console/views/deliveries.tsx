/** What an endpoint was sent, and what it answered. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookDelivery } from '../../../client/index.ts';
import { useResource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Content, Panel } from '../frame.tsx';
import { refreshSeconds, useOperator } from '../operator.ts';
import { pageSizeOf, PanelChoice, Time } from '../parts.tsx';

const stateNames = { due: 'Waiting', delivered: 'Delivered', failed: 'Failed' };

type State = OperatorWebhookDelivery['state'];

const marks: Record<State, string> = { due: 'warn', delivered: 'good', failed: 'bad' };

export function DeliveriesPanel({ endpointId }: { endpointId: number }) {
  const { operations } = useOperator();
  const [state, setState] = useState<State>();
  const deliveries = useResource(
    [operations, endpointId, state],
    (options) => operations.webhookDeliveries(endpointId, { state, limit: pageSizeOf(50, 20) }, options),
    { everySeconds: refreshSeconds },
  );
  return (
    <Panel
      title="Latest deliveries"
      actions={
        <PanelChoice<State>
          label="Which deliveries"
          anyName="All"
          options={Object.entries(stateNames) as [State, string][]}
          value={state}
          onChoose={(next) => setState(next)}
        />
      }
    >
      <Content of={deliveries} none="There are no such deliveries.">
        {(list) => (
          <DataTable
            columns={['Event', 'State', 'Tries', 'Last try', 'Answer']}
            // A replayed event is delivered under its old id.
            rows={list.map((delivery, index) => ({ key: `${delivery.eventId} ${index}`, cells: cellsOf(delivery) }))}
          />
        )}
      </Content>
    </Panel>
  );
}

function cellsOf(delivery: OperatorWebhookDelivery) {
  const { type, eventId, state, attempts, lastAttemptAt, nextAttemptAt, lastStatus, lastError } = delivery;
  return [
    <>
      {type}
      <span class="small-print">{eventId}</span>
    </>,
    <>
      <span class={`mark ${marks[state]}`}>{stateNames[state]}</span>
      {state === 'due' && attempts > 0 && nextAttemptAt !== null && (
        <span class="small-print">
          again <Time instant={nextAttemptAt} />
        </span>
      )}
    </>,
    attempts,
    lastAttemptAt === null ? null : <Time instant={lastAttemptAt} />,
    <>
      {lastStatus ?? '–'}
      {lastError !== null && <span class="small-print">{lastError}</span>}
      <Exchange delivery={delivery} />
    </>,
  ];
}

function Exchange({ delivery: { request, lastAnswer, type } }: { delivery: OperatorWebhookDelivery }) {
  return (
    <details class="delivery-exchange">
      <summary aria-label={`Request and answer of ${type}`}>Request and answer</summary>
      <pre>{request}</pre>
      <pre>{lastAnswer || 'The receiver answered nothing.'}</pre>
    </details>
  );
}
