/** The list: only what is on screen is in the document, however long it is. */
import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Transaction } from '../../client/index.ts';
import { dayAt, dayNotAfter, dayOfRow, visibleDays, type VisibleDay } from './layout.ts';
import type { Loaded } from './use-activity.ts';
import { formatMoney } from './money.ts';
import { Icon } from './icons.tsx';
import { counterparty, directionOf, isVoid, signedAmount, useViewer } from './viewer.ts';

/** Pixels that are drawn above and below the screen. */
const margin = 400;

export interface ListHandle {
  /** Brings the newest day that is not after a date to the top. */
  jumpTo(date: string): void;
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
  const { dates, texts } = useViewer();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [active, setActive] = useState(0);
  const focusActive = useRef(false);

  /** Where the list's own top is, in the scroller's terms. */
  function listTop(): number {
    return box.current!.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  }

  function stickyHeight(): number {
    return box.current!.parentElement!.querySelector('.bar')?.getBoundingClientRect().height ?? 0;
  }

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (box.current) setView({ top: scroller.scrollTop - listTop(), height: scroller.clientHeight });
    };
    const soon = () => (frame ||= requestAnimationFrame(look));
    look();
    const observer = new ResizeObserver(soon);
    observer.observe(scroller);
    observer.observe(box.current!.parentElement!);
    scroller.addEventListener('scroll', soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      scroller.removeEventListener('scroll', soon);
    };
  }, [scroller]);

  const shown = visibleDays(layout, view.top - margin, view.top + view.height + margin);
  const [firstDay] = shown;
  const lastDay = shown.at(-1);
  const firstRow = firstDay ? firstDay.firstRow + firstDay.shownFrom : 0;
  const lastRow = lastDay ? lastDay.firstRow + Math.max(lastDay.shownTo - 1, 0) : 0;
  const topMonth = layout.days[dayAt(layout, view.top + layout.headingHeight)]?.day.slice(0, 7);
  // The tab key always finds one row, and it is one that is there.
  const tabStop = active >= firstRow && active <= lastRow ? active : firstRow;

  useEffect(() => rows.want(firstRow, lastRow), [rows, firstRow, lastRow]);
  useEffect(() => onTopMonth(topMonth), [topMonth]);
  useEffect(() => setActive(0), [rows]);
  useEffect(() => {
    if (!focusActive.current) return;
    const button = box.current!.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (button) {
      focusActive.current = false;
      button.focus({ preventScroll: true });
    }
  });

  function jumpTo(date: string): void {
    const day = layout.days[dayNotAfter(layout, date)];
    if (day) scroller.scrollTo({ top: listTop() + day.top - stickyHeight() });
  }
  useImperativeHandle(handle, () => ({ jumpTo }), [layout, scroller]);

  function moveTo(row: number): void {
    const target = Math.min(Math.max(row, 0), layout.rows - 1);
    const day = layout.days[dayOfRow(layout, target)]!;
    const top = listTop() + day.top + layout.headingHeight + (target - day.firstRow) * layout.rowHeight;
    const [least, most] = [top + layout.rowHeight - scroller.clientHeight, top - layout.headingHeight - stickyHeight()];
    if (scroller.scrollTop > most) scroller.scrollTo({ top: most });
    else if (scroller.scrollTop < least) scroller.scrollTo({ top: least });
    focusActive.current = true;
    setActive(target);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const from = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    if (!from) return;
    const row = Number(from.dataset.row);
    const screen = Math.max(1, Math.floor(view.height / layout.rowHeight) - 2);
    const moves: Record<string, number> = {
      ArrowDown: row + 1,
      ArrowUp: row - 1,
      PageDown: row + screen,
      PageUp: row - screen,
      Home: 0,
      End: layout.rows - 1,
    };
    const target = moves[event.key];
    if (target === undefined) return;
    event.preventDefault();
    moveTo(target);
  }

  return (
    <div class="list" ref={box} style={{ height: `${layout.height}px` }} onKeyDown={onKeyDown}>
      <h2 class="unseen">{texts.list}</h2>
      {shown.map((day) => (
        <section key={day.day} data-day={day.day} style={{ top: `${day.top}px`, height: `${day.height}px` }}>
          <DayHeading day={day} today={today} height={layout.headingHeight} />
          <ul
            class="card"
            aria-label={dates.day(day.day, today)}
            style={{ height: `${day.rows * layout.rowHeight}px` }}
          >
            {Array.from({ length: day.shownTo - day.shownFrom }, (_, index) => {
              const inDay = day.shownFrom + index;
              const row = day.firstRow + inDay;
              return (
                <li
                  key={row}
                  aria-setsize={loaded.count}
                  aria-posinset={row + 1}
                  style={{ top: `${inDay * layout.rowHeight}px`, height: `${layout.rowHeight}px` }}
                >
                  {rows.at(row) ? (
                    <Row
                      transaction={rows.at(row)!}
                      index={row}
                      tabIndex={row === tabStop ? 0 : -1}
                      onOpen={(transaction) => {
                        setActive(row);
                        onOpen(transaction);
                      }}
                    />
                  ) : (
                    <WaitingRow />
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </div>
  );
}

function DayHeading({ day, today, height }: { day: VisibleDay; today: string; height: number }) {
  const { locale, dates, texts } = useViewer();
  const worth = (text: string) => /[1-9]/.test(text);
  return (
    <div class="day" style={{ height: `${height}px` }}>
      <h3>{dates.day(day.day, today)}</h3>
      <p>
        {day.totals.slice(0, 3).flatMap(({ currency, moneyIn, moneyOut }) => [
          worth(moneyIn) && (
            <span key={`${currency} in`} class="in">
              <span class="unseen">{texts.moneyIn} </span>
              {formatMoney(locale, moneyIn, currency, '+')}
            </span>
          ),
          worth(moneyOut) && (
            <span key={`${currency} out`}>
              <span class="unseen">{texts.moneyOut} </span>
              {formatMoney(locale, moneyOut, currency, '−')}
            </span>
          ),
        ])}
      </p>
    </div>
  );
}

/** The shape of a row that is on its way. */
export function WaitingRow() {
  return (
    <div class="row waiting" aria-hidden="true">
      <span class="badge" />
      <span class="what">
        <span class="name" />
        <span class="more" />
      </span>
      <span class="amount" />
    </div>
  );
}

interface RowProps {
  transaction: Transaction;
  index: number;
  tabIndex: number;
  onOpen(transaction: Transaction): void;
}

/** While the list scrolls, a row that stays the same is not drawn again. */
function Row({ transaction, index, tabIndex, onOpen }: RowProps) {
  return useMemo(
    () => <DrawnRow transaction={transaction} index={index} tabIndex={tabIndex} onOpen={onOpen} />,
    [transaction, index, tabIndex],
  );
}

function DrawnRow({ transaction, index, tabIndex, onOpen }: RowProps) {
  const { locale, texts, dates } = useViewer();
  const direction = directionOf(transaction);
  const name = counterparty(transaction, texts);
  const amount = formatMoney(locale, transaction.amountText, transaction.currency);
  const type = texts.types[transaction.transactionType] ?? transaction.transactionType;
  const status = texts.statuses[transaction.transactionStatus] ?? transaction.transactionStatus;
  const time = dates.time(transaction.timeStamp);
  const told = { in: texts.received, out: texts.paid, other: texts.neither }[direction](amount, name);
  const pending = transaction.transactionStatus === 'Pending';
  const remarkable = transaction.transactionStatus !== 'Accepted' && status !== '';
  return (
    <button
      type="button"
      class={`row ${direction}${pending ? ' pending' : ''}${isVoid(transaction) ? ' void' : ''}`}
      data-row={index}
      data-id={transaction.transactionId}
      tabIndex={tabIndex}
      onClick={() => onOpen(transaction)}
    >
      <span class="unseen">{[told, status, type, transaction.paymentNotes, time].filter(Boolean).join(', ')}</span>
      <span class={`badge tone-${toneOf(name)}`} aria-hidden="true">
        {initials(name)}
        <span class="arrow">
          <Icon name={pending ? 'clock' : direction === 'in' ? 'in' : 'out'} />
        </span>
      </span>
      <span class="what" aria-hidden="true">
        <span class="name">{name}</span>
        <span class="more">
          {[transaction.paymentNotes !== name && transaction.paymentNotes, type].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span class="worth" aria-hidden="true">
        <span class="amount">{signedAmount(transaction, locale)}</span>
        <span class="more">
          {remarkable && <span class="status">{status}</span>}
          <time dateTime={transaction.timeStamp}>{time}</time>
        </span>
      </span>
    </button>
  );
}

const tones = 6;

/** The same name has the same tone everywhere. */
function toneOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 9973;
  return sum % tones;
}

export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0)!).toLocaleUpperCase())
    .join('');
}
