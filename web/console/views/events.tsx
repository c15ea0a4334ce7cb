/** The events: what happened, searched by user, type and time. */
import type { LedgerlineEvent } from '../../../client/index.ts';
import { Facts, type Fact } from '../../ui/facts.tsx';
import type { FilterField } from '../../ui/filter-bar.tsx';
import { eventTypes } from '../event-types.ts';
import { hrefOf } from '../hrefs.ts';
import { LogView, useLogById } from '../log-view.tsx';
import { useOperator } from '../operator.ts';
import { Copy, ExactTime, Time } from '../parts.tsx';
import { t } from '../texts.ts';
import { useLiveMessages } from './use-live-messages.ts';

const fields: readonly FilterField[] = [
  { name: 'userId', label: t.common.user, kind: 'digits' },
  {
    name: 'type',
    label: t.events.type,
    kind: 'choice',
    anyName: t.events.everyType,
    options: eventTypes.map((type) => [type, type] as const),
  },
];

export function EventsView() {
  const { operations } = useOperator();
  const { log, pages, detailOf } = useLogById<LedgerlineEvent>(fields, (query, options) =>
    operations.events(query, options),
  );
  useLiveMessages(pages.refreshSoon);
  return (
    <LogView
      view="events"
      title={t.common.events}
      fields={fields}
      log={log}
      pages={pages}
      none={t.events.none}
      columns={[t.common.when, t.events.type, t.common.user, t.events.data]}
      headingColumn={1}
      rowOf={(event) => ({ id: event.id, at: event.timestamp, cells: cellsOf(event) })}
      detailTitle={() => t.events.entry}
      detail={detailOf((event) => (
        <EventFacts event={event} />
      ))}
    />
  );
}

interface EventParts {
  userId: number | undefined;
  members: [name: string, value: string][];
}

function partsOf(event: LedgerlineEvent): EventParts {
  const { userId, ...data } = event.data as { userId?: number } & Record<string, unknown>;
  const textOf = (value: unknown) => (Array.isArray(value) ? value.join(', ') : value === null ? '–' : String(value));
  return { userId, members: Object.entries(data).map(([name, value]) => [name, textOf(value)]) };
}

const userLink = (userId: number | undefined) =>
  userId === undefined ? null : <a href={hrefOf('customer', userId)}>{userId}</a>;

function cellsOf(event: LedgerlineEvent) {
  const { userId, members } = partsOf(event);
  return [
    <Time instant={event.timestamp} />,
    <span class="event-type">{event.type}</span>,
    userLink(userId),
    members.length === 0 ? null : (
      <dl class="event-data">
        {members.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    ),
  ];
}

function EventFacts({ event }: { event: LedgerlineEvent }) {
  const { userId, members } = partsOf(event);
  const facts: Fact[] = [
    [t.events.type, event.type],
    [t.common.when, <ExactTime instant={event.timestamp} />],
    [t.common.user, userLink(userId)],
    ...members,
    [
      t.events.id,
      <>
        {event.id} <Copy text={event.id} what={t.events.id} />
      </>,
    ],
  ];
  return <Facts facts={facts} />;
}
