/** The events: what happened, searched by user, type and time. */
import { useEffect, useState } from 'preact/hooks';
import type { EventType, LedgerlineEvent, OperatorEventFilter } from '../../client/index.ts';
import { useOperator } from './operator.ts';
import { isStale, Loading, Older, pageSizeOf, Table, Time, ViewTitle } from './parts.tsx';
import { refreshSeconds, sentenceOf, useRequest } from './requests.ts';
import { useLiveMessages } from './use-live-messages.ts';

/** In the order of the reference. The compiler says if one is missing. */
const types = Object.keys({
  'user.created': true,
  'user.erased': true,
  'phone.code_sent': true,
  'phone.send_failed': true,
  'phone.delivery_changed': true,
  'phone.verified': true,
  'phone.unlinked': true,
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

type Filter = Pick<OperatorEventFilter, 'userId' | 'type' | 'from' | 'to'>;

export function EventsView() {
  const { desk } = useOperator();
  const [filter, setFilter] = useState<Filter>({});
  const [complaint, setComplaint] = useState<string>();
  const pageSize = pageSizeOf(50, 20);
  const first = useRequest(() => desk.events({ ...filter, count: pageSize }), [desk, filter], refreshSeconds);
  useLiveMessages(first.refresh);
  const [older, setOlder] = useState<LedgerlineEvent[]>([]);
  const [isEnd, setEnd] = useState(false);
  useEffect(() => {
    setOlder([]);
    setEnd(false);
    setComplaint(undefined);
  }, [filter]);

  // New events push older ones from the first page into those that were read before.
  const known = new Set(older.map(({ id }) => id));
  const events = first.value && [...first.value.filter(({ id }) => !known.has(id)), ...older];

  async function showOlder(): Promise<void> {
    try {
      const page = await desk.events({ ...filter, count: pageSize, before: events!.at(-1)!.id });
      // From here on the first page only adds what is newer.
      setOlder([...events!, ...page]);
      setEnd(page.length < pageSize);
    } catch (error) {
      setComplaint(sentenceOf(error));
    }
  }

  const hasOlder = events !== undefined && events.length >= pageSize && !isEnd;
  const shown = complaint === undefined ? first : { ...first, error: complaint };
  return (
    <div class={isStale(shown) ? 'view stale' : 'view'}>
      <ViewTitle title="Events" requests={[shown]} />
      <EventSearch onSearch={setFilter} />
      <section class="card panel" aria-label="Events">
        {!events && !first.error && <Loading />}
        {events?.length === 0 && <p class="soft">There are no such events.</p>}
        {events && events.length > 0 && (
          <Table
            columns={['When', 'Type', 'User', 'Data']}
            headingColumn={1}
            rows={events.map((event) => ({ key: event.id, cells: cellsOf(event) }))}
          />
        )}
        <Older onClick={hasOlder ? () => void showOlder() : undefined} />
      </section>
    </div>
  );
}

function EventSearch({ onSearch }: { onSearch(filter: Filter): void }) {
  function search(event: Event): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim() || undefined;
    const userId = text('userId');
    onSearch({
      userId: userId === undefined ? undefined : Number(userId),
      type: text('type') as EventType | undefined,
      from: instantOf(text('from')),
      to: instantOf(text('to')),
    });
  }

  return (
    <form class="find long" onSubmit={search} aria-label="Search events">
      <label class="kind">
        User
        <input
          name="userId"
          inputMode="numeric"
          pattern="[1-9][0-9]{0,9}"
          title="The id of a user"
          autoComplete="off"
        />
      </label>
      <label>
        Type
        <select name="type">
          <option value="">Every type</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      </label>
      <label>
        From
        <input name="from" type="datetime-local" />
      </label>
      <label>
        To
        <input name="to" type="datetime-local" />
      </label>
      <button type="submit" class="primary">
        Search
      </button>
    </form>
  );
}

/** A browser gives the time of the viewer's own zone, without it. */
function instantOf(local: string | undefined): string | undefined {
  return local === undefined ? undefined : new Date(local).toISOString();
}

function cellsOf(event: LedgerlineEvent) {
  const { userId, ...data } = event.data as { userId?: number } & Record<string, unknown>;
  return [
    <Time instant={event.timestamp} />,
    event.type,
    userId === undefined ? null : <a href={`#customer/${userId}`}>{userId}</a>,
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
