/** What an endpoint was sent, and what it answered. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookDelivery } from '../../../client/index.ts';
import { useResource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Content, Panel } from '../frame.tsx';
import { refreshSeconds, useOperator } from '../operator.ts';
import { pageSizeOf, PanelChoice, Time } from '../parts.tsx';
import { t } from '../texts.ts';

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
      title={t.webhooks.deliveries}
      actions={
        <PanelChoice<State>
          label={t.webhooks.whichDeliveries}
          anyName={t.common.all}
          options={Object.entries(t.webhooks.deliveryStates) as [State, string][]}
          value={state}
          onChoose={(next) => setState(next)}
        />
      }
    >
      <Content of={deliveries} none={t.webhooks.noDeliveries}>
        {(list) => (
          <DataTable
            columns={[t.webhooks.event, t.common.state, t.webhooks.tries, t.webhooks.lastTry, t.webhooks.answer]}
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
      <span class={`mark ${marks[state]}`}>{t.webhooks.deliveryStates[state]}</span>
      {state === 'due' && attempts > 0 && nextAttemptAt !== null && (
        <span class="small-print">
          {t.webhooks.again} <Time instant={nextAttemptAt} />
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
      <summary aria-label={t.webhooks.exchangeOf(type)}>{t.webhooks.exchange}</summary>
      <pre>{request}</pre>
      <pre>{lastAnswer || t.webhooks.answeredNothing}</pre>
    </details>
  );
}
