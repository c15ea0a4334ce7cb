/** The events: what happened, searched by user, type and time. */
import type { EventType, LedgerlineEvent, OperatorEventFilter } from '../../../client/index.ts';
import { goTo, useFilter } from '../address.ts';
import { hrefOf, pickFilter } from '../hrefs.ts';
import { FilterForm, type FilterField } from '../filters.tsx';
import { useOperator } from '../operator.ts';
import { isStale, Loading, Older, pageSizeOf, Table, Time, ViewTitle } from '../parts.tsx';
import { t } from '../texts.ts';
import { usePagesById } from '../use-cursor-pages.ts';
import { useLiveMessages } from './use-live-messages.ts';

/** In the order of the reference. The compiler reports a missing one. */
const types = Object.keys({
  'user.created': true,
  'user.erased': true,
  'phone.code_sent': true,
  'phone.send_failed': true,
  'phone.delivery_changed': true,
  'phone.verified': true,
  'phone.changed': true,
  'phone.unlinked': true,
  'confirmation.approved': true,
  'confirmation.failed': true,
  'phone.verification_blocked': true,
  'phone.block_lifted': true,
  'transactions.recorded': true,
  'transactions.updated': true,
  'guard.rule_fired': true,
  'gateway.down': true,
  'gateway.up': true,
  'operator.acted': true,
  'endpoint.disabled': true,
  'endpoint.delivery_failed': true,
} satisfies Record<EventType, true>);

const names = ['userId', 'type', 'from', 'to'] as const;

export function EventsView() {
  const { operations } = useOperator();
  const filter = useFilter();
  const query: OperatorEventFilter = pickFilter(filter, names);
  const events = usePagesById<LedgerlineEvent>(
    (before, count, options) => operations.events({ ...query, before, count }, options),
    [operations, JSON.stringify(query)],
    pageSizeOf(50, 20),
  );
  useLiveMessages(events.refresh);
  return (
    <div class={isStale(events) ? 'view stale' : 'view'}>
      <ViewTitle title={t.common.events} requests={[events]} />
      <FilterForm
        label={t.events.form}
        fields={fieldsOf()}
        filter={filter}
        onSearch={(next) => goTo(hrefOf('events', '', next))}
      />
      <section class="card panel" aria-label={t.common.events}>
        {!events.value && !events.error && <Loading />}
        {events.value?.length === 0 && <p class="soft">{t.events.none}</p>}
        {events.value && events.value.length > 0 && (
          <Table
            columns={[t.common.when, t.events.type, t.common.user, t.events.data]}
            headingColumn={1}
            rows={events.value.map((event) => ({ key: event.id, cells: cellsOf(event) }))}
          />
        )}
        <Older onClick={events.showOlder} />
      </section>
    </div>
  );
}

const fieldsOf = (): FilterField[] => [
  { name: 'userId', label: t.common.user, kind: 'user' },
  {
    name: 'type',
    label: t.events.type,
    kind: 'choice',
    anyName: t.events.everyType,
    options: types.map((type) => [type, type] as const),
  },
  { name: 'from', label: t.common.from, kind: 'time' },
  { name: 'to', label: t.common.to, kind: 'time' },
];

function cellsOf(event: LedgerlineEvent) {
  const { userId, ...data } = event.data as { userId?: number } & Record<string, unknown>;
  return [
    <Time instant={event.timestamp} />,
    event.type,
    userId === undefined ? null : <a href={hrefOf('customer', userId)}>{userId}</a>,
    <>
      <EventData data={data} />
      <span class="about">{event.id}</span>
    </>,
  ];
}

function EventData({ data }: { data: Record<string, unknown> }) {
  const members = Object.entries(data);
  if (members.length === 0) return null;
  return (
    <dl class="event-data">
      {members.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{Array.isArray(value) ? value.join(', ') : value === null ? '–' : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
