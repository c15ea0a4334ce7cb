/** A log: a filter in the address, a table of entries, newest first, and the chosen entry at its side. */
import type { ComponentChildren } from 'preact';
import type { CallOptions } from '../../client/index.ts';
import { usePagesById, type Pages } from '../data/use-pages.ts';
import { useResource } from '../data/use-resource.ts';
import { DataTable, type TableRow } from '../ui/data-table.tsx';
import { FilterBar, type FilterField } from '../ui/filter-bar.tsx';
import { ListWithPanel, SidePanel } from '../ui/side-panel.tsx';
import { goTo, useAddress } from './address.ts';
import { serviceNow } from './clock.ts';
import { formatTime } from './format.ts';
import { Content, Frame, Panel } from './frame.tsx';
import { hrefOf, pickFilter, type Filter } from './hrefs.ts';
import { useOperator } from './operator.ts';
import { Older, pageSizeOf } from './parts.tsx';
import { t } from './texts.ts';

interface Entry {
  id: string | number;
}

type ReadLog<T extends Entry> = (
  query: { count: number; before?: T['id'] | undefined; from?: string; to?: string },
  options: CallOptions,
) => Promise<T[]>;

const periodSeconds: Record<string, number> = { '1h': 3600, '24h': 86_400, '7d': 7 * 86_400, '30d': 30 * 86_400 };

const timeFields: readonly FilterField[] = [
  { name: 'from', label: t.common.from, kind: 'time' },
  { name: 'to', label: t.common.to, kind: 'time' },
];

export interface LogFilter {
  filter: Filter;
  /** The id of the chosen entry, or nothing. */
  chosen: string;
  /** Identifies the filter. */
  key: string;
  /** For a request: a period ends now. */
  query(): Record<string, string>;
}

/** The filter in the address. Anybody can write an address; the service checks the values. */
export function useLogFilter(names: readonly string[]): LogFilter {
  const { filter, part } = useAddress();
  const picked = pickFilter(filter, [...names, 'from', 'to', 'period']);
  return {
    filter,
    chosen: part,
    key: JSON.stringify(picked),
    query() {
      const { period = '', ...query } = picked;
      const seconds = Object.hasOwn(periodSeconds, period) ? periodSeconds[period] : undefined;
      return seconds ? { ...query, from: new Date(serviceNow() - seconds * 1000).toISOString() } : query;
    },
  };
}

/** A log whose cursor is the id of the last entry of a page. */
export function useLogById<T extends Entry>(fields: readonly FilterField[], read: ReadLog<T>) {
  const { operations } = useOperator();
  const log = useLogFilter(fields.map(({ name }) => name));
  const pages = usePagesById<T>(
    [operations, log.key],
    (before, count, options) => read({ ...log.query(), before, count }, options),
    pageSizeOf(50, 20),
  );
  /** Draws an entry by its id. */
  const detailOf = (draw: (entry: T) => ComponentChildren) => (id: string, at: string | undefined) => (
    <FoundEntry id={id} at={at} entries={pages.value} read={read}>
      {draw}
    </FoundEntry>
  );
  return { log, pages, detailOf };
}

/** The name of a member of a filter in which a link says when its entry was, so that it can be found again. */
const atName = 'at';

interface LogViewProps<T> {
  view: string;
  title: string;
  fields: readonly FilterField[];
  log: LogFilter;
  pages: Pages<T>;
  none: string;
  /** Of the button for older entries. */
  olderText?: string;
  columns: string[];
  headingColumn?: number;
  rowOf(entry: T): Pick<TableRow, 'cells'> & { id: string | number; at: string };
  /** Draws the chosen entry. `at` is the time that its link says. */
  detail(id: string, at: string | undefined): ComponentChildren;
  detailTitle(id: string): string;
  /** Controls next to the filter. */
  actions?: ComponentChildren;
}

export function LogView<T>(props: LogViewProps<T>) {
  const { view, title, fields, log, pages, none, olderText, columns, headingColumn, rowOf, actions } = props;
  const { filter, chosen } = log;
  const { [atName]: at, ...rest } = filter;
  return (
    <>
      <div class="view-tools">
        <FilterBar
          label={t.common.filter}
          fields={[...fields, ...timeFields]}
          filter={rest}
          texts={t.filters}
          hasPeriod
          formatTime={formatTime}
          onChange={(next, isTyping) => goTo(hrefOf(view, '', next), isTyping)}
        />
        {actions}
      </div>
      <ListWithPanel
        panel={
          chosen && (
            <SidePanel
              key={chosen}
              title={props.detailTitle(chosen)}
              closeText={t.common.close}
              onClose={() => goTo(hrefOf(view, '', rest))}
            >
              <Frame of={props.detailTitle(chosen)} class="side-frame">
                {props.detail(chosen, at)}
              </Frame>
            </SidePanel>
          )
        }
      >
        <Panel title={title} isTitleUnseen>
          <Content of={pages} none={none}>
            {(entries) => (
              <DataTable
                columns={columns}
                headingColumn={headingColumn}
                rows={entries.map((entry) => {
                  const { id, at: time, cells } = rowOf(entry);
                  const href = hrefOf(view, id, { ...rest, [atName]: time });
                  return { key: id, cells, href, isChosen: String(id) === chosen };
                })}
              />
            )}
          </Content>
          <Older of={pages} text={olderText} />
        </Panel>
      </ListWithPanel>
    </>
  );
}

interface FoundEntryProps<T extends Entry> {
  id: string;
  at: string | undefined;
  /** The entries that are in the list. */
  entries: readonly T[] | undefined;
  read: ReadLog<T>;
  children(entry: T): ComponentChildren;
}

/** An entry of the list, or one that a link names and the list has not read. */
function FoundEntry<T extends Entry>(props: FoundEntryProps<T>) {
  const { id, at, entries, read, children } = props;
  const find = (list: readonly T[] = []) => list.find((entry) => String(entry.id) === id);
  const listed = find(entries);
  const found = useResource([id, at, listed === undefined], async (options) => {
    if (listed || at === undefined) return { entry: listed };
    return { entry: find(await read({ from: at, to: at, count: 200 }, options)) };
  });
  return (
    <Content of={found}>{({ entry }) => (entry ? children(entry) : <p class="soft">{t.common.entryGone}</p>)}</Content>
  );
}
