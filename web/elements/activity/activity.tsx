/** The activity screen. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Transaction } from '../../../client/index.ts';
import { Chart, WaitingChart } from './chart.tsx';
import { dayOf } from '../../intl/dates.ts';
import { DetailSheet } from './detail-sheet.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterSheet } from './filter-sheet.tsx';
import { isFiltered, noFilter, requestOf, withinMonth, type Filter } from './filter.ts';
import { Icon } from '../../ui/icons.tsx';
import { currenciesOf } from './layout.ts';
import { List, type ListHandle } from './list.tsx';
import { NewsPill } from './news-pill.tsx';
import { PrintedList, usePrinting } from './printed-list.tsx';
import { useSaveFile } from './save-file.ts';
import { Chips, FilterButton, JumpTo, Search } from './search-bar.tsx';
import { sentenceOf, Skeleton, State, TroubleBanner, TroubleState } from './states.tsx';
import { Totals } from './totals.tsx';
import { useActivity } from './use-activity.ts';
import { useAddress } from './use-address.ts';
import { useNews } from './use-news.ts';
import { troubleOf } from '../../data/trouble.ts';
import { useViewer } from './viewer.ts';

const messageMilliseconds = 6000;

export function ActivityScreen({ scroller }: { scroller: HTMLElement }) {
  const { client, individualId, texts, locale, timeZone, hidesTitle, languageAttributes, layout, announce } =
    useViewer();
  const { filter, sheet, change, open, close } = useAddress();
  const [topMonth, setTopMonth] = useState<string>();
  const [clears, setClears] = useState(0);
  const [message, setMessage] = useMessage(texts.exporting);
  const activity = useActivity(filter);
  const { loaded, isLoading, isEmpty, trouble, reload, withAsOf } = activity;
  const news = useNews(activity);
  const complete = loaded?.isComplete ? loaded : undefined;
  const printing = usePrinting();
  const save = useSaveFile(setMessage);
  const list = useRef<ListHandle>(null);
  const today = dayOf(new Date(), timeZone);
  const currencies = useMemo(() => (complete ? currenciesOf(complete.layout) : []), [complete]);
  const count = loaded?.count;
  /** While a new filter is loading, the rows and sums are still those of the one before. */
  const isCurrent = loaded?.filter === filter;
  const hasRows = count !== undefined && count > 0;
  const isCompact = layout === 'compact';
  const hasChart = layout === 'full' && (loaded ? hasRows : isLoading && !trouble && !isEmpty);
  const isNew = isEmpty && !isFiltered(filter);

  // Drawn again only when it shows something else, however fast the list scrolls.
  const chart = useMemo(
    () =>
      complete ? (
        <Chart
          layout={complete.layout}
          currentMonth={topMonth}
          onJump={(month) => list.current?.jumpTo(`${month}-31`)}
          onStatement={saveMonth}
          spending={{ filter: complete.filter, types: complete.rows.valuesOf('transactionType'), withAsOf }}
        />
      ) : (
        <WaitingChart />
      ),
    [complete, topMonth],
  );

  function saveMonth(month: string): void {
    const request = requestOf(individualId, withinMonth(filter, month), timeZone);
    void save(`statement-${individualId}-${month}.pdf`, () =>
      withAsOf((asOf) => client.makeStatement({ ...request, asOf, timeZone, locale })),
    );
  }

  function print(): void {
    printing.print(loaded!.filter, withAsOf).catch((error: unknown) => setMessage(sentenceOf(troubleOf(error), texts)));
  }

  function apply(members: Partial<Filter>): void {
    change(members);
    scroller.scrollTo({ top: 0 });
  }

  function clear(): void {
    setClears(clears + 1);
    apply(noFilter);
  }

  function showNews(): void {
    reload();
    scroller.scrollTo({ top: 0 });
  }

  /** The page may show it itself. */
  function openTransaction(transaction: Transaction): void {
    const { transactionId } = transaction;
    const isShownHere = announce('ledgerline-transaction-open', { transactionId, transaction }, true);
    if (isShownHere) open({ kind: 'transaction', id: transactionId, transaction });
  }

  /** To the row above or below the open one. Undefined while it is not known. */
  function turn(by: 1 | -1): (() => void) | undefined {
    const at = sheet?.kind === 'transaction' ? loaded?.rows.indexOf(sheet.id) : undefined;
    const row = at === undefined ? -1 : at + by;
    if (!loaded || row < 0 || row >= loaded.count) return undefined;
    const transaction = loaded.rows.at(row);
    if (!transaction) loaded.rows.fetch(row);
    return transaction && (() => open({ kind: 'transaction', id: transaction.transactionId, transaction }));
  }

  /** The row that was shown last gets the focus. */
  function closeDetail(): void {
    const row = sheet?.kind === 'transaction' ? loaded?.rows.indexOf(sheet.id) : undefined;
    close();
    if (row !== undefined) list.current?.focusRow(row);
  }

  function countText(): string {
    if (count === undefined || !isCurrent) return isLoading ? texts.loading : '';
    return count === 1 ? texts.countOne : texts.count(count.toLocaleString(locale));
  }

  const classes = ['screen', !hasChart && 'alone', isCompact && 'compact', printing.rows && 'printing']
    .filter(Boolean)
    .join(' ');
  return (
    <div class={classes} aria-busy={isLoading} {...languageAttributes}>
      <header class="title">
        <div>
          {!hidesTitle && <h1 part="title">{texts.title}</h1>}
          <p role="status" class="count" part="count">
            {countText()}
          </p>
        </div>
        {!isCompact && (
          <div class="actions" part="actions">
            <button type="button" class="round" aria-label={texts.refresh} onClick={reload}>
              <Icon name="refresh" />
            </button>
            <ExportMenu
              filter={filter}
              withAsOf={withAsOf}
              save={save}
              isDisabled={!hasRows}
              count={count}
              onPrint={print}
            />
          </div>
        )}
      </header>

      {hasChart && <aside>{chart}</aside>}

      <div class="main" data-focus-home>
        {!isNew && !isCompact && (
          <div class="bar">
            <Search key={clears} value={filter.search} onSearch={(search) => apply({ search })} />
            <FilterButton filter={filter} onOpen={() => open({ kind: 'filters' })} />
            <JumpTo
              newest={complete?.layout.days[0]?.day}
              oldest={complete?.layout.days.at(-1)?.day}
              onJump={(date) => list.current?.jumpTo(date)}
            />
            {isLoading && loaded && <span class="progress" />}
          </div>
        )}
        {!isNew && !isCompact && (
          <Chips filter={filter} results={isFiltered(filter) ? countText() : ''} onChange={apply} />
        )}
        {!isCompact && isFiltered(filter) && complete && isCurrent && hasRows && <Totals layout={complete.layout} />}
        <NewsPill news={hasRows ? news : undefined} onShow={showNews} />

        {trouble && !hasRows && <TroubleState trouble={trouble} onRetry={reload} />}
        {!trouble && isEmpty && <State icon="receipt" title={texts.emptyTitle} about={texts.empty} />}
        {!trouble && !isEmpty && count === 0 && (
          <State icon="search" title={texts.noMatchTitle} about={texts.noMatch}>
            <button type="button" class="primary" onClick={clear}>
              {texts.clear}
            </button>
          </State>
        )}
        {!loaded && isLoading && !trouble && !isEmpty && <Skeleton />}
        {loaded && hasRows && (
          <List
            loaded={loaded}
            scroller={scroller}
            today={today}
            handle={list}
            onTopMonth={setTopMonth}
            onOpen={openTransaction}
          />
        )}
        {printing.rows && <PrintedList rows={printing.rows} count={count ?? 0} />}
        {trouble && hasRows && <TroubleBanner trouble={trouble} onRetry={reload} />}
      </div>

      {sheet?.kind === 'filters' && (
        <FilterSheet
          filter={filter}
          today={today}
          currencies={currencies}
          types={loaded?.rows.valuesOf('transactionType') ?? []}
          statuses={loaded?.rows.valuesOf('transactionStatus') ?? []}
          onApply={apply}
          onClose={close}
        />
      )}
      {sheet?.kind === 'transaction' && (
        <DetailSheet
          transactionId={sheet.id}
          known={sheet.transaction}
          list={loaded?.rows}
          onName={(search) => apply({ ...noFilter, search })}
          onNewer={turn(-1)}
          onOlder={turn(1)}
          onClose={closeDetail}
        />
      )}
      <p role="status" class={message ? 'toast' : 'unseen'}>
        {message}
      </p>
    </div>
  );
}

/** A short message that disappears by itself, except `persistentMessage`, which stays until the next message. */
function useMessage(persistentMessage: string): [string, (text: string) => void] {
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (message === '' || message === persistentMessage) return;
    const timer = setTimeout(() => setMessage(''), messageMilliseconds);
    return () => clearTimeout(timer);
  }, [message]);
  return [message, setMessage];
}
