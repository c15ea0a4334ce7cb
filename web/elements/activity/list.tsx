/** The list. Only the rows around the visible part are in the document, however long the list is. */
import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Transaction } from '../../../client/index.ts';
import {
  boxOf,
  currenciesOf,
  dayAt,
  dayNotAfter,
  dayOfRow,
  visibleDays,
  type CurrencyTotal,
  type VisibleDay,
} from './layout.ts';
import { WaitingRow, Row } from './row.tsx';
import type { Loaded } from './use-activity.ts';
import { useScroll } from './use-scroll.ts';
import { formatMoney, isZero, visibleLength } from '../../intl/money.ts';
import { useViewer } from './viewer.ts';

/** Pixels that are drawn above and below the visible part. */
const margin = 400;
/** The height of the search bar, below which the top of the list is. */
const barRem = 4;

export interface ListHandle {
  /** Brings the newest day that is not after a date to the top. */
  jumpTo(date: string): void;
  /** Brings a row into view and gives it the focus, once nothing else has it. */
  focusRow(row: number): void;
}

export interface ListProps {
  loaded: Loaded;
  scroller: HTMLElement;
  today: string;
  handle: Ref<ListHandle>;
  onTopMonth(month: string | undefined): void;
  onOpen(transaction: Transaction): void;
}

export function List({ loaded, scroller, today, handle, onTopMonth, onOpen }: ListProps) {
  const { layout, rows } = loaded;
  const { dates, texts, remPixels } = useViewer();
  const box = useRef<HTMLDivElement>(null);
  const { view, boxHeight, scrollTo } = useScroll(box, scroller, layout.height);
  const currencies = useMemo(() => currenciesOf(layout), [layout]);
  const [active, setActive] = useState(0);
  const mustFocusActive = useRef(false);
  const lastLoaded = useRef(loaded);
  if (lastLoaded.current.rows !== rows) {
    // The button of the focused row may be missing until the new rows are there.
    if (lastLoaded.current.filter === loaded.filter) mustFocusActive.current ||= isFocused(box.current, active);
    lastLoaded.current = loaded;
  }

  const shown = visibleDays(layout, view.top - margin, view.top + view.height + margin);
  const [firstDay] = shown;
  const lastDay = shown.at(-1);
  const firstRow = firstDay ? firstDay.firstRow + firstDay.shownFrom : 0;
  const lastRow = lastDay ? lastDay.firstRow + Math.max(lastDay.shownTo - 1, 0) : 0;
  const topMonth = layout.days[dayAt(layout, view.top + barRem * remPixels + 1)]?.day.slice(0, 7);
  // Exactly one row is a tab stop, and it is one that is in the document.
  const tabStop = active >= firstRow && active <= lastRow ? active : firstRow;

  useEffect(() => rows.want(firstRow, lastRow), [rows, firstRow, lastRow]);
  useEffect(() => onTopMonth(topMonth), [topMonth]);
  useLayoutEffect(() => setActive(0), [loaded.filter]);
  useLayoutEffect(() => {
    if (!mustFocusActive.current) return;
    // If the user has moved the focus elsewhere, it stays there.
    if (isFocusElsewhere(box.current!)) mustFocusActive.current = false;
    const button = box.current!.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (button && mustFocusActive.current) {
      mustFocusActive.current = false;
      button.focus({ preventScroll: true });
    }
  });

  function stickyHeight(): number {
    return box.current!.parentElement!.querySelector('.bar')?.getBoundingClientRect().height ?? 0;
  }

  function jumpTo(date: string): void {
    const day = layout.days[dayNotAfter(layout, date)];
    if (day) scrollTo(day.top - stickyHeight());
  }
  useImperativeHandle(handle, () => ({ jumpTo, focusRow: moveTo }), [layout, scroller, view]);

  function moveTo(row: number): void {
    const target = Math.min(Math.max(row, 0), layout.rows - 1);
    const day = layout.days[dayOfRow(layout, target)]!;
    const top = day.top + layout.headingHeight + (target - day.firstRow) * layout.rowHeight;
    const lowest = top + layout.rowHeight - view.height;
    const highest = top - layout.headingHeight - stickyHeight();
    if (view.top > highest) scrollTo(highest);
    else if (view.top < lowest) scrollTo(lowest);
    mustFocusActive.current = true;
    setActive(target);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const from = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    if (!from) return;
    const row = Number(from.dataset.row);
    const screenRows = Math.max(1, Math.floor(view.height / layout.rowHeight) - 2);
    const targets: Record<string, number> = {
      ArrowDown: row + 1,
      ArrowUp: row - 1,
      PageDown: row + screenRows,
      PageUp: row - screenRows,
      Home: 0,
      End: layout.rows - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    moveTo(target);
  }

  function openRow(row: number, transaction: Transaction): void {
    setActive(row);
    onOpen(transaction);
  }

  return (
    <div class="list" part="list" ref={box} style={{ height: `${boxHeight}px` }} onKeyDown={onKeyDown}>
      <h2 class="unseen">{texts.list}</h2>
      {shown.map((day) => {
        const { top, height, hiddenRows, listHeight } = boxOf(day, layout);
        return (
          <section key={day.day} data-day={day.day} style={{ top: `${top - view.offset}px`, height: `${height}px` }}>
            <DayHeading day={day} today={today} height={layout.headingHeight} currencies={currencies} />
            <ul class="card" aria-label={dates.day(day.day, today)} style={{ height: `${listHeight}px` }}>
              {Array.from({ length: day.shownTo - day.shownFrom }, (_, index) => {
                const inDay = day.shownFrom + index;
                const row = day.firstRow + inDay;
                const transaction = rows.at(row);
                return (
                  <li
                    key={row}
                    aria-setsize={loaded.count}
                    aria-posinset={row + 1}
                    style={{ top: `${(inDay - hiddenRows) * layout.rowHeight}px`, height: `${layout.rowHeight}px` }}
                  >
                    {transaction ? (
                      <Row
                        transaction={transaction}
                        index={row}
                        tabIndex={row === tabStop ? 0 : -1}
                        onOpen={() => openRow(row, transaction)}
                      />
                    ) : (
                      <WaitingRow />
                    )}
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function isFocused(list: HTMLElement | null, row: number): boolean {
  return list?.querySelector(`[data-row="${row}"]`)?.matches(':focus') ?? false;
}

/**
 * Whether something beside the list has the focus. If its element was removed, the body of the page has it, or a box
 * around the list.
 */
function isFocusElsewhere(list: HTMLElement): boolean {
  const focused = (list.getRootNode() as ShadowRoot).activeElement;
  return focused ? !list.contains(focused) && !focused.contains(list) : document.activeElement !== document.body;
}

/**
 * What of a day's amounts its heading shows, where it is wide and where it is narrow: so many, if they have no more
 * characters. The others are counted, and named in a title.
 */
const shownAmounts = { wide: { limit: 4, characters: 60 }, narrow: { limit: 2, characters: 33 } };

interface DayAmount {
  kind: 'in' | 'out';
  text: string;
}

function countFitting(amounts: DayAmount[], { limit, characters }: { limit: number; characters: number }): number {
  let used = 0;
  const end = amounts.slice(0, limit).findIndex(({ text }) => (used += visibleLength(text)) > characters);
  return end < 0 ? Math.min(limit, amounts.length) : end;
}

interface DayHeadingProps {
  day: VisibleDay;
  today: string;
  height: number;
  /** The main one of the wallet first. */
  currencies: string[];
}

function DayHeading({ day, today, height, currencies }: DayHeadingProps) {
  const { locale, dates, texts } = useViewer();
  const rank = ({ currency }: CurrencyTotal) => currencies.indexOf(currency);
  const totals = day.totals.toSorted((a, b) => rank(a) - rank(b));
  const amounts = totals.flatMap(({ currency, moneyIn, moneyOut }): DayAmount[] => [
    ...(isZero(moneyIn) ? [] : [{ kind: 'in' as const, text: formatMoney(locale, moneyIn, currency, '+') }]),
    ...(isZero(moneyOut) ? [] : [{ kind: 'out' as const, text: formatMoney(locale, moneyOut, currency, '−') }]),
  ]);
  const [wide, narrow] = [shownAmounts.wide, shownAmounts.narrow].map((space) => countFitting(amounts, space));
  return (
    <div class="day" part="heading" style={{ height: `${height}px` }}>
      <h3>{dates.day(day.day, today)}</h3>
      <p>
        {amounts.slice(0, wide).map(({ kind, text }, index) => (
          <span key={text} class={`${kind}${index < narrow! ? '' : ' where-wide'}`}>
            <span class="unseen">{kind === 'in' ? texts.moneyIn : texts.moneyOut} </span>
            {text}
          </span>
        ))}
        <MoreAmounts amounts={amounts.slice(wide)} place="where-wide" />
        <MoreAmounts amounts={amounts.slice(narrow)} place="where-narrow" />
      </p>
    </div>
  );
}

function MoreAmounts({ amounts, place }: { amounts: DayAmount[]; place: string }) {
  const { locale } = useViewer();
  if (amounts.length === 0) return null;
  const names = amounts.map(({ text }) => text).join(', ');
  return (
    <span class={place} title={names}>
      <bdi dir="ltr" aria-hidden="true">
        +{amounts.length.toLocaleString(locale)}
      </bdi>
      <span class="unseen">{names}</span>
    </span>
  );
}
