/** The events: what happened, searched by user, type and time. */
import type { LedgerlineEvent } from '../../../client/index.ts';
import { Facts, type Fact } from '../../ui/facts.tsx';
import type { FilterField } from '../../ui/filter-bar.tsx';
import { eventTypes } from '../event-types.ts';
import { hrefOf } from '../hrefs.ts';
import { LogView, useLogById } from '../log-view.tsx';
import { useOperator } from '../operator.ts';
import { Copy, ExactTime, Time } from '../parts.tsx';
import { useLiveMessages } from './use-live-messages.ts';

const fields: readonly FilterField[] = [
  { name: 'userId', label: 'User', kind: 'digits' },
  {
    name: 'type',
    label: 'Type',
    kind: 'choice',
    anyName: 'Every type',
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
      title="Events"
      fields={fields}
      log={log}
      pages={pages}
      none="There are no such events."
      columns={['When', 'Type', 'User', 'Data']}
      headingColumn={1}
      rowOf={(event) => ({ id: event.id, at: event.timestamp, cells: cellsOf(event) })}
      detailTitle={() => 'Event'}
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
    ['Type', event.type],
    ['When', <ExactTime instant={event.timestamp} />],
    ['User', userLink(userId)],
    ...members,
    [
      'Id',
      <>
        {event.id} <Copy text={event.id} what="Id" />
      </>,
    ],
  ];
  return <Facts facts={facts} />;
}
