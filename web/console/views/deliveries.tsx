/** What an endpoint was sent, and what it answered. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookDelivery } from '../../../client/index.ts';
import { useOperator } from '../operator.ts';
import { Failure, Loading, pageSizeOf, PanelHeading, Table, Time } from '../parts.tsx';
import { refreshSeconds, useRequest } from '../requests.ts';
import { t } from '../texts.ts';

type State = OperatorWebhookDelivery['state'];

const marks: Record<State, string> = { due: 'probing', delivered: '', failed: 'refused' };

export function DeliveriesPanel({ endpointId }: { endpointId: number }) {
  const { operations } = useOperator();
  const [state, setState] = useState<State>();
  const deliveries = useRequest(
    (options) => operations.webhookDeliveries(endpointId, { state, limit: pageSizeOf(50, 20) }, options),
    [operations, endpointId, state],
    refreshSeconds,
  );
  return (
    <section class="card panel" aria-labelledby="deliveries">
      <header class="panel-title">
        <PanelHeading id="deliveries">{t.webhooks.deliveries}</PanelHeading>
        <div class="choices">
          <select
            aria-label={t.webhooks.whichDeliveries}
            value={state ?? ''}
            onChange={(event) => setState((event.currentTarget.value || undefined) as State | undefined)}
          >
            <option value="">{t.common.all}</option>
            {Object.entries(t.webhooks.deliveryStates).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </header>
      <Failure requests={[deliveries]} />
      {!deliveries.value && !deliveries.error && <Loading />}
      {deliveries.value?.length === 0 && <p class="soft">{t.webhooks.noDeliveries}</p>}
      {deliveries.value && deliveries.value.length > 0 && (
        <Table
          columns={[t.webhooks.event, t.common.state, t.webhooks.tries, t.webhooks.lastTry, t.webhooks.answer]}
          // A replayed event is delivered under its old id.
          rows={deliveries.value.map((delivery, index) => ({
            key: `${delivery.eventId} ${index}`,
            cells: cellsOf(delivery),
          }))}
        />
      )}
    </section>
  );
}

function cellsOf(delivery: OperatorWebhookDelivery) {
  const { type, eventId, state, attempts, lastAttemptAt, nextAttemptAt, lastStatus, lastError } = delivery;
  return [
    <>
      {type}
      <span class="about">{eventId}</span>
    </>,
    <>
      <span class={`mark ${marks[state]}`}>{t.webhooks.deliveryStates[state]}</span>
      {state === 'due' && attempts > 0 && nextAttemptAt !== null && (
        <span class="about">
          {t.webhooks.again} <Time instant={nextAttemptAt} />
        </span>
      )}
    </>,
    attempts,
    lastAttemptAt === null ? null : <Time instant={lastAttemptAt} />,
    <>
      {lastStatus ?? '–'}
      {lastError !== null && <span class="about">{lastError}</span>}
      <Exchange delivery={delivery} />
    </>,
  ];
}

function Exchange({ delivery: { request, lastAnswer, type } }: { delivery: OperatorWebhookDelivery }) {
  return (
    <details class="exchange">
      <summary aria-label={t.webhooks.exchangeOf(type)}>{t.webhooks.exchange}</summary>
      <pre>{request}</pre>
      <pre>{lastAnswer || t.webhooks.answeredNothing}</pre>
    </details>
  );
}
