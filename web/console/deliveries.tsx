/** What an endpoint was sent, and what it answered. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookDelivery } from '../../client/index.ts';
import { useOperator } from './operator.ts';
import { Failure, Loading, pageSizeOf, PanelHeading, Table, Time } from './parts.tsx';
import { refreshSeconds, useRequest } from './requests.ts';

type State = OperatorWebhookDelivery['state'];

const states: Record<State, { name: string; mark: string }> = {
  due: { name: 'Waiting', mark: 'probing' },
  delivered: { name: 'Delivered', mark: '' },
  failed: { name: 'Failed', mark: 'refused' },
};

export function DeliveriesPanel({ endpointId }: { endpointId: number }) {
  const { desk } = useOperator();
  const [state, setState] = useState<State>();
  const deliveries = useRequest(
    () => desk.webhookDeliveries(endpointId, { state, limit: pageSizeOf(50, 20) }),
    [desk, endpointId, state],
    refreshSeconds,
  );
  return (
    <section class="card panel" aria-labelledby="deliveries">
      <header class="panel-title">
        <PanelHeading id="deliveries">Latest deliveries</PanelHeading>
        <div class="choices">
          <select
            aria-label="Which deliveries"
            value={state ?? ''}
            onChange={(event) => setState((event.currentTarget.value || undefined) as State | undefined)}
          >
            <option value="">All</option>
            {Object.entries(states).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </header>
      <Failure requests={[deliveries]} />
      {!deliveries.value && !deliveries.error && <Loading />}
      {deliveries.value?.length === 0 && <p class="soft">There are no such deliveries.</p>}
      {deliveries.value && deliveries.value.length > 0 && (
        <Table
          columns={['Event', 'State', 'Tries', 'Last try', 'Answer']}
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
  const { name, mark } = states[state];
  return [
    <>
      {type}
      <span class="about">{eventId}</span>
    </>,
    <>
      <span class={`mark ${mark}`}>{name}</span>
      {state === 'due' && attempts > 0 && nextAttemptAt !== null && (
        <span class="about">
          again at <Time instant={nextAttemptAt} />
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
      <summary aria-label={`Request and answer of ${type}`}>Request and answer</summary>
      <pre>{request}</pre>
      <pre>{lastAnswer || 'The receiver answered nothing.'}</pre>
    </details>
  );
}
