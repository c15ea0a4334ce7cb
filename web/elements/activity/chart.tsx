/** Money in above the line and money out below it, one column for each month. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { addMonths, monthsBetween } from '../../intl/dates.ts';
import { FigureTable } from '../../ui/figure-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { currenciesOf, monthsUpTo, monthSums, type Layout, type Month } from './layout.ts';
import { addDecimals, formatMoney, formatRoundMoney, visibleLength } from '../../intl/money.ts';
import { Spending, type SpendingSource } from './spending.tsx';
import { TurnButton } from './turn-button.tsx';
import { useViewer } from './viewer.ts';

const monthsShown = 12;
const half = 46;

export interface ChartProps {
  layout: Layout;
  /** The month at the top of the list. */
  currentMonth: string | undefined;
  onJump(month: string): void;
  onStatement(month: string): void;
  spending: SpendingSource;
}

export function Chart({ layout, currentMonth, onJump, onStatement, spending }: ChartProps) {
  const { locale, texts, dates } = useViewer();
  const currencies = useMemo(() => currenciesOf(layout), [layout]);
  const [chosen, setChosen] = useState('');
  const [pointed, setPointed] = useState<string>();
  const currency = (currencies.includes(chosen) ? chosen : currencies[0]) ?? '';
  const sums = useMemo(() => monthSums(layout, currency), [layout, currency]);
  const money = (text: string) => formatMoney(locale, text, currency);
  const longest = useMemo(() => longestSum(sums, money), [sums, locale]);
  const { newest, oldest } = monthRange(layout);
  const [page, setPage] = useState(0);
  // The chart follows the list, so that both show the same time.
  useLayoutEffect(() => {
    if (currentMonth) setPage(Math.floor(monthsBetween(currentMonth, newest) / monthsShown));
  }, [currentMonth, newest]);
  // The last page is also filled with as many months as there are.
  const last = latestOf(addMonths(newest, -page * monthsShown), addMonths(oldest, monthsShown - 1), newest);
  const isLast = addMonths(last, 1 - monthsShown) <= oldest;
  const months = useMemo(() => monthsUpTo(sums, last, oldest, monthsShown), [sums, last, oldest]);
  if (months.length === 0) return null;
  const shown = [pointed, currentMonth].flatMap((name) => months.filter(({ month }) => month === name))[0];
  const shownMonth = shown ?? months.at(-1)!;

  return (
    <section class="chart card" part="chart" aria-label={texts.chart}>
      <header>
        <h2>{dates.month(shownMonth.month)}</h2>
        {currencies.length > 1 && (
          <select
            aria-label={texts.currency}
            value={currency}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {currencies.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </select>
        )}
        {monthsBetween(oldest, newest) >= monthsShown && (
          <span class="pages">
            <TurnButton name="before" label={texts.earlier} onClick={isLast ? undefined : () => setPage(page + 1)} />
            <TurnButton name="after" label={texts.later} onClick={page > 0 ? () => setPage(page - 1) : undefined} />
          </span>
        )}
      </header>
      <dl class="sums" style={{ '--length': visibleLength(longest) }}>
        <div class="in" data-longest={longest}>
          <dt>{texts.moneyIn}</dt>
          <dd>{money(shownMonth.moneyIn)}</dd>
        </div>
        <div class="out" data-longest={longest}>
          <dt>{texts.moneyOut}</dt>
          <dd>{money(shownMonth.moneyOut)}</dd>
        </div>
        <div class="net">
          <dt>{texts.net}</dt>
          <dd>{netOf(shownMonth, locale, currency)}</dd>
        </div>
      </dl>
      <Columns months={months} shownMonth={shownMonth.month} currency={currency} onPoint={setPointed} onJump={onJump} />
      <FigureTable
        title={texts.chart}
        columns={[texts.month, texts.moneyIn, texts.moneyOut, texts.net]}
        rows={months.map((month) => [
          dates.month(month.month),
          money(month.moneyIn),
          money(month.moneyOut),
          netOf(month, locale, currency),
        ])}
      />
      <Spending {...spending} month={shownMonth.month} currency={currency} total={shownMonth.moneyOut} />
      <button
        type="button"
        class="quiet small month-statement"
        aria-label={texts.statementOf(dates.month(shownMonth.month))}
        onClick={() => onStatement(shownMonth.month)}
      >
        <Icon name="receipt" />
        {texts.statement}
      </button>
    </section>
  );
}

function longestSum(sums: ReadonlyMap<string, Month>, money: (text: string) => string): string {
  const texts = [...sums.values()].flatMap(({ moneyIn, moneyOut }) => [money(moneyIn), money(moneyOut)]);
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

/** What is left of a month, with its sign. */
function netOf({ moneyIn, moneyOut }: Month, locale: string, currency: string): string {
  const net = addDecimals(moneyIn, `-${moneyOut}`);
  const isNegative = net.startsWith('-');
  return formatMoney(locale, isNegative ? net.slice(1) : net, currency, isNegative ? '−' : '+');
}

function latestOf(wanted: string, earliest: string, newest: string): string {
  const last = wanted > earliest ? wanted : earliest;
  return last < newest ? last : newest;
}

function monthRange({ days }: Layout): { newest: string; oldest: string } {
  return { newest: days[0]?.day.slice(0, 7) ?? '', oldest: days.at(-1)?.day.slice(0, 7) ?? '' };
}

interface ColumnsProps {
  months: Month[];
  shownMonth: string;
  currency: string;
  onPoint(month: string | undefined): void;
  onJump(month: string): void;
}

/** The whole chart is one tab stop; the arrow keys move from month to month. */
function Columns({ months, shownMonth, currency, onPoint, onJump }: ColumnsProps) {
  const { texts, dates } = useViewer();
  const box = useRef<HTMLDivElement>(null);
  const largest = roundUp(Math.max(...months.flatMap(({ moneyIn, moneyOut }) => [Number(moneyIn), Number(moneyOut)])));

  function onKeyDown(event: KeyboardEvent): void {
    const buttons = [...box.current!.querySelectorAll('button')];
    const from = buttons.indexOf(event.target as HTMLButtonElement);
    const forward = getComputedStyle(box.current!).direction === 'rtl' ? -1 : 1;
    const targets: Record<string, number> = {
      ArrowRight: from + forward,
      ArrowLeft: from - forward,
      Home: 0,
      End: buttons.length - 1,
    };
    const target = buttons[targets[event.key] ?? -1];
    if (!target) return;
    event.preventDefault();
    target.focus();
  }

  return (
    <div
      class="columns"
      ref={box}
      role="toolbar"
      aria-label={texts.jumpToMonth}
      onPointerLeave={() => onPoint(undefined)}
      onKeyDown={onKeyDown}
    >
      {months.map((month) => (
        <button
          type="button"
          key={month.month}
          class={month.month === shownMonth ? 'column current' : 'column'}
          aria-label={texts.jumpTo(dates.month(month.month))}
          tabIndex={month.month === shownMonth ? 0 : -1}
          onPointerEnter={() => onPoint(month.month)}
          onFocus={() => onPoint(month.month)}
          onBlur={() => onPoint(undefined)}
          onClick={() => onJump(month.month)}
        >
          <Column month={month} largest={largest} />
          <span aria-hidden="true">{dates.monthLetter(month.month)}</span>
        </button>
      ))}
      <Scale largest={largest} currency={currency} />
    </div>
  );
}

const roundSteps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The next round number, so that the scale is easy to read. */
function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (roundSteps.find((step) => step * power >= value) ?? 10);
}

/** What a column of full height means, in both directions. */
function Scale({ largest, currency }: { largest: number; currency: string }) {
  const { locale } = useViewer();
  const text = formatRoundMoney(locale, largest, currency);
  return (
    <div class="scale" aria-hidden="true">
      {[text, (0).toLocaleString(locale), text].map((label, index) => (
        <span key={index}>
          <bdi>{label}</bdi>
        </span>
      ))}
    </div>
  );
}

/** Keeps the chart's place while the sums are loading, so that nothing moves when they arrive. */
export function WaitingChart() {
  return (
    <section class="chart card waiting" part="chart" aria-hidden="true">
      <header>
        <span class="name" />
      </header>
      <div class="sums">
        <span class="more" />
        <span class="more" />
        <span class="more net" />
      </div>
      <div class="columns">
        {Array.from({ length: monthsShown }, (_, index) => (
          <div key={index} class="column">
            <Column month={{ month: '', currency: '', moneyIn: '3', moneyOut: '2' }} largest={4} />
            <span>{'\u00a0'}</span>
          </div>
        ))}
      </div>
      <div class="spending">
        <span class="quiet small spending-title" />
      </div>
      <span class="quiet small month-statement" />
    </section>
  );
}

function Column({ month: { moneyIn, moneyOut }, largest }: { month: Month; largest: number }) {
  // The smallest sum is still visible as a line.
  const height = (text: string) => (Number(text) > 0 ? Math.max(2, (Number(text) / largest) * (half - 2)) : 0);
  const [up, down] = [height(moneyIn), height(moneyOut)];
  return (
    <svg viewBox={`0 0 16 ${2 * half}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect class="in" x="1" width="14" y={half - 1 - up} height={up} rx="2.5" />
      <rect class="out" x="1" width="14" y={half + 1} height={down} rx="2.5" />
    </svg>
  );
}
