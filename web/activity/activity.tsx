/** The activity screen: what there is, what is asked for, and what stands in the way. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ExportFormat, Transaction } from '../../client/index.ts';
import { Chart, WaitingChart } from './chart.tsx';
import { dayOf } from './dates.ts';
import { isFiltered, noFilter, readAddress, requestOf, writeAddress, type Filter } from './filter.ts';
import { Icon, type IconName } from './icons.tsx';
import { currenciesOf } from './layout.ts';
import { List, WaitingRow, type ListHandle } from './list.tsx';
import { formatMoney } from './money.ts';
import { DetailSheet, FilterSheet } from './sheets.tsx';
import { troubleOf, useActivity, type Trouble } from './use-activity.ts';
import { useViewer } from './viewer.ts';

const transactionParameter = 'transaction';

export function ActivityScreen({ scroller }: { scroller: HTMLElement }) {
  const viewer = useViewer();
  const { texts, locale, timeZone } = viewer;
  const [filter, setFilter] = useAddress();
  const [opened, setOpened] = useOpened();
  const [filtering, setFiltering] = useState(false);
  const [topMonth, setTopMonth] = useState<string>();
  const activity = useActivity(filter);
  const { loaded, loading, empty, trouble, reload } = activity;
  const complete = loaded?.complete ? loaded : undefined;
  const list = useRef<ListHandle>(null);
  const today = dayOf(new Date(), timeZone);
  const currencies = useMemo(() => (complete ? currenciesOf(complete.layout) : []), [complete]);
  const filtered = isFiltered(filter);
  const count = loaded && !empty ? loaded.count : undefined;

  // Drawn anew only when it shows something else, however fast the list scrolls.
  const chart = useMemo(
    () =>
      complete ? (
        <Chart
          layout={complete.layout}
          currentMonth={topMonth}
          onJump={(month) => list.current?.jumpTo(`${month}-31`)}
        />
      ) : (
        <WaitingChart />
      ),
    [complete, topMonth],
  );

  function apply(next: Filter): void {
    setFiltering(false);
    setFilter(next);
    scroller.scrollTo({ top: 0 });
  }

  return (
    <div class="screen" aria-busy={loading}>
      <header class="title">
        <div>
          <h1>{texts.title}</h1>
          <p role="status">
            {count === undefined
              ? loading && texts.loading
              : count === 1
                ? texts.countOne
                : texts.count(count.toLocaleString(locale))}
          </p>
        </div>
        <div class="actions">
          <button type="button" class="round" aria-label={texts.refresh} onClick={reload}>
            <Icon name="refresh" />
          </button>
          <ExportMenu filter={filter} asOf={loaded?.asOf} disabled={!count} />
        </div>
      </header>

      {(loaded ? count! > 0 : loading && !trouble && !empty) && <aside>{chart}</aside>}

      <div class="main">
        {!(empty && !filtered) && (
          <div class="bar">
            <Search value={filter.search} onSearch={(search) => apply({ ...filter, search })} />
            <button
              type="button"
              class="pill"
              aria-label={filtered ? texts.filtersOn(sheetFilters(filter)) : texts.filters}
              onClick={() => setFiltering(true)}
            >
              <Icon name="filters" />
              <span class="wide">{texts.filters}</span>
              {sheetFilters(filter) > 0 && <span class="dot">{sheetFilters(filter)}</span>}
            </button>
            <JumpTo
              newest={complete?.layout.days[0]?.day}
              oldest={complete?.layout.days.at(-1)?.day}
              onJump={(date) => list.current?.jumpTo(date)}
            />
          </div>
        )}
        {!(empty && !filtered) && <Chips filter={filter} onChange={apply} />}

        {trouble && !(loaded && count! > 0) && <TroubleState trouble={trouble} onRetry={reload} />}
        {!trouble && empty && <State icon="receipt" title={texts.emptyTitle} about={texts.empty} />}
        {!trouble && !empty && count === 0 && (
          <State icon="search" title={texts.noMatchTitle} about={texts.noMatch}>
            <button type="button" class="primary" onClick={() => apply(noFilter)}>
              {texts.clear}
            </button>
          </State>
        )}
        {!loaded && loading && !trouble && <Skeleton />}
        {loaded && count! > 0 && (
          <List
            loaded={loaded}
            scroller={scroller}
            today={today}
            handle={list}
            onTopMonth={setTopMonth}
            onOpen={(transaction) => setOpened(transaction.transactionId, transaction)}
          />
        )}
        {trouble && loaded && count! > 0 && <TroubleBanner trouble={trouble} onRetry={reload} />}
      </div>

      {filtering && (
        <FilterSheet
          filter={filter}
          today={today}
          currencies={currencies}
          onApply={apply}
          onClose={() => setFiltering(false)}
        />
      )}
      {opened && (
        <DetailSheet
          key={opened.id}
          transactionId={opened.id}
          known={opened.transaction}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

/** The filter, kept in the address bar where the host wants it there. */
function useAddress(): [Filter, (filter: Filter) => void] {
  const { inAddressBar } = useViewer();
  const [filter, setFilter] = useState(() => (inAddressBar ? readAddress(new URL(location.href)) : noFilter));
  useEffect(() => {
    if (!inAddressBar) return;
    const read = () => setFilter(readAddress(new URL(location.href)));
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, [inAddressBar]);
  return [
    filter,
    (next) => {
      if (inAddressBar) history.replaceState(history.state, '', writeAddress(new URL(location.href), next));
      setFilter(next);
    },
  ];
}

interface Opened {
  id: string;
  transaction: Transaction | undefined;
}

function useOpened(): [Opened | undefined, (id: string | undefined, transaction?: Transaction) => void] {
  const { inAddressBar } = useViewer();
  const [opened, setOpened] = useState<Opened | undefined>(() => {
    const id = inAddressBar ? new URL(location.href).searchParams.get(transactionParameter) : null;
    return id ? { id, transaction: undefined } : undefined;
  });
  return [
    opened,
    (id, transaction) => {
      if (inAddressBar) {
        const address = new URL(location.href);
        if (id === undefined) address.searchParams.delete(transactionParameter);
        else address.searchParams.set(transactionParameter, id);
        history.replaceState(history.state, '', address);
      }
      setOpened(id === undefined ? undefined : { id, transaction });
    },
  ];
}

const typingMilliseconds = 250;

function Search({ value, onSearch }: { value: string; onSearch(text: string): void }) {
  const { texts } = useViewer();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current!.value !== value) input.current!.value = value;
  }, [value]);
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        defaultValue={value}
        placeholder={texts.search}
        aria-label={texts.searchLabel}
        onInput={(event) => {
          const text = event.currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onSearch(text), typingMilliseconds);
        }}
      />
    </div>
  );
}

interface JumpToProps {
  newest: string | undefined;
  oldest: string | undefined;
  onJump(date: string): void;
}

function JumpTo({ newest, oldest, onJump }: JumpToProps) {
  const { texts } = useViewer();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="jump pill">
      <Icon name="calendar" />
      <span class="wide" aria-hidden="true">
        {texts.jump}
      </span>
      <input
        ref={input}
        type="date"
        aria-label={texts.jump}
        disabled={newest === undefined}
        min={oldest}
        max={newest}
        onClick={() => input.current!.showPicker?.()}
        onChange={(event) => event.currentTarget.value && onJump(event.currentTarget.value)}
      />
    </div>
  );
}

/** How many filters stand in the sheet; direction and search have places of their own. */
function sheetFilters({ from, to, amountFrom, amountTo, type, status, currency }: Filter): number {
  return [from || to, amountFrom || amountTo, type, status, currency].filter(Boolean).length;
}

function Chips({ filter, onChange }: { filter: Filter; onChange(filter: Filter): void }) {
  const { texts, dates, locale } = useViewer();
  const directions = [
    ['', texts.all],
    ['Credit', texts.moneyIn],
    ['Debit', texts.moneyOut],
  ] as const;
  const number = (text: string) => (filter.currency ? formatMoney(locale, text, filter.currency) : text);
  const range = (from: string, to: string) => (from && to ? `${from} – ${to}` : from ? `≥ ${from}` : `≤ ${to}`);
  const day = (date: string) => date && dates.shortDay(date);
  const chips: { text: string; without: Partial<Filter> }[] = [];
  if (filter.from || filter.to) {
    chips.push({ text: range(day(filter.from), day(filter.to)), without: { from: '', to: '' } });
  }
  if (filter.amountFrom || filter.amountTo) {
    const text = range(filter.amountFrom && number(filter.amountFrom), filter.amountTo && number(filter.amountTo));
    chips.push({ text, without: { amountFrom: '', amountTo: '' } });
  }
  if (filter.type) chips.push({ text: texts.types[filter.type] ?? filter.type, without: { type: '' } });
  if (filter.status) chips.push({ text: texts.statuses[filter.status] ?? filter.status, without: { status: '' } });
  if (filter.currency) chips.push({ text: filter.currency, without: { currency: '' } });
  return (
    <div class="chips">
      <div class="segments" role="group" aria-label={texts.direction}>
        {directions.map(([category, name]) => (
          <button
            type="button"
            key={category}
            aria-pressed={filter.category === category}
            onClick={() => onChange({ ...filter, category })}
          >
            {name}
          </button>
        ))}
      </div>
      {chips.map(({ text, without }) => (
        <button
          type="button"
          key={text}
          class="chip on"
          aria-label={texts.clearOne(text)}
          onClick={() => onChange({ ...filter, ...without })}
        >
          {text}
          <Icon name="close" />
        </button>
      ))}
    </div>
  );
}

/** Exactly the rows of the list: the same filter, pinned to the same moment. */
function ExportMenu({ filter, asOf, disabled }: { filter: Filter; asOf: string | undefined; disabled: boolean }) {
  const { client, individualId, timeZone, texts } = useViewer();
  const menu = useRef<HTMLDetailsElement>(null);
  const [told, setTold] = useState('');

  async function save(format: ExportFormat): Promise<void> {
    menu.current!.open = false;
    menu.current!.querySelector('summary')!.focus();
    setTold(texts.exporting);
    try {
      const request = { ...requestOf(individualId, filter, timeZone), asOf };
      const response = await client.exportTransactions(request, format);
      const address = URL.createObjectURL(await response.blob());
      const link = document.createElement('a');
      link.href = address;
      link.download = `transactions-${individualId}.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      setTold(texts.exported);
      setTimeout(() => setTold(''), 4000);
    } catch (error) {
      const met = troubleOf(error);
      setTold(met.kind === 'error' ? met.message : met.kind === 'offline' ? texts.offlineTitle : texts.expiredTitle);
    }
  }

  return (
    <div class="export">
      <details
        ref={menu}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !menu.current!.open) return;
          menu.current!.open = false;
          menu.current!.querySelector('summary')!.focus();
        }}
        onFocusOut={(event) => {
          if (!menu.current!.contains(event.relatedTarget as Node | null)) menu.current!.open = false;
        }}
      >
        <summary class={disabled ? 'pill disabled' : 'pill'} aria-label={texts.exportAs}>
          <Icon name="export" />
          <span>{texts.exportAs}</span>
        </summary>
        <div class="menu card">
          <button type="button" disabled={disabled} onClick={() => save('csv')}>
            {texts.exportCsv}
          </button>
          <button type="button" disabled={disabled} onClick={() => save('ndjson')}>
            {texts.exportNdjson}
          </button>
        </div>
      </details>
      <p role="status" class={told ? 'toast' : 'unseen'}>
        {told}
      </p>
    </div>
  );
}

interface StateProps {
  icon: IconName;
  title: string;
  about: string;
  // oxlint-disable-next-line no-explicit-any -- what Preact takes as children
  children?: any;
}

function State({ icon, title, about, children }: StateProps) {
  return (
    <div class="state">
      <span class="picture">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p>{about}</p>
      {children}
    </div>
  );
}

interface TroubleProps {
  trouble: Trouble;
  onRetry(): void;
}

function TroubleState({ trouble, onRetry }: TroubleProps) {
  const { texts } = useViewer();
  if (trouble.kind === 'offline') {
    return (
      <State icon="offline" title={texts.offlineTitle} about={texts.offline}>
        <button type="button" class="primary" onClick={onRetry}>
          {texts.retry}
        </button>
      </State>
    );
  }
  if (trouble.kind === 'expired') {
    return (
      <State icon="lock" title={texts.expiredTitle} about={texts.expired}>
        <button type="button" class="primary" onClick={onRetry}>
          {texts.signIn}
        </button>
      </State>
    );
  }
  return (
    <State icon="alert" title={texts.errorTitle} about={trouble.message}>
      {trouble.traceId && <p class="trace">{texts.reference(trouble.traceId)}</p>}
      <button type="button" class="primary" onClick={onRetry}>
        {texts.retry}
      </button>
    </State>
  );
}

/** What is on screen stays there. */
function TroubleBanner({ trouble, onRetry }: TroubleProps) {
  const { texts } = useViewer();
  const [icon, title] = {
    offline: ['offline', texts.offlineTitle],
    expired: ['lock', texts.expiredTitle],
    error: ['alert', texts.errorTitle],
  }[trouble.kind] as [IconName, string];
  return (
    <div class="banner" role="alert">
      <Icon name={icon} />
      <span>{trouble.kind === 'error' ? `${title}: ${trouble.message}` : title}</span>
      <button type="button" class="quiet small" onClick={onRetry}>
        {trouble.kind === 'expired' ? texts.signIn : texts.retry}
      </button>
    </div>
  );
}

function Skeleton() {
  return (
    <div class="skeleton card" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <WaitingRow key={index} />
      ))}
    </div>
  );
}
