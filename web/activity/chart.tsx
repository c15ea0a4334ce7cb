/** Money in above the line and money out below it, a month a column. */
import { useMemo, useState } from 'preact/hooks';
import type { Layout, Month } from './layout.ts';
import { currenciesOf, monthsOf } from './layout.ts';
import { formatMoney } from './money.ts';
import { useViewer } from './viewer.ts';

const mostMonths = 12;
const half = 46;

export interface ChartProps {
  layout: Layout;
  /** The month that the list shows at its top. */
  currentMonth: string | undefined;
  onJump(month: string): void;
}

export function Chart({ layout, currentMonth, onJump }: ChartProps) {
  const { locale, texts, dates } = useViewer();
  const currencies = useMemo(() => currenciesOf(layout), [layout]);
  const [chosen, setChosen] = useState('');
  const [pointed, setPointed] = useState<string>();
  const currency = (currencies.includes(chosen) ? chosen : currencies[0]) ?? '';
  const months = useMemo(() => monthsOf(layout, currency, mostMonths), [layout, currency]);
  if (months.length === 0) return null;
  const largest = Math.max(...months.flatMap(({ moneyIn, moneyOut }) => [Number(moneyIn), Number(moneyOut)]), 1e-9);
  const shownMonth = pointed ?? currentMonth;
  const shown = months.find(({ month }) => month === shownMonth) ?? months.at(-1)!;
  const money = (text: string) => formatMoney(locale, text, currency);

  return (
    <section class="chart card" aria-label={texts.chart}>
      <header>
        <h2>{dates.month(shown.month)}</h2>
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
      </header>
      <dl class="sums">
        <div class="in">
          <dt>{texts.moneyIn}</dt>
          <dd>{money(shown.moneyIn)}</dd>
        </div>
        <div class="out">
          <dt>{texts.moneyOut}</dt>
          <dd>{money(shown.moneyOut)}</dd>
        </div>
      </dl>
      <div class="columns" onPointerLeave={() => setPointed(undefined)}>
        {months.map((month) => (
          <button
            type="button"
            key={month.month}
            class={month.month === shown.month ? 'column current' : 'column'}
            aria-label={texts.jumpTo(dates.month(month.month))}
            onPointerEnter={() => setPointed(month.month)}
            onFocus={() => setPointed(month.month)}
            onBlur={() => setPointed(undefined)}
            onClick={() => onJump(month.month)}
          >
            <Column month={month} largest={largest} />
            <span aria-hidden="true">{dates.monthLetter(month.month)}</span>
          </button>
        ))}
      </div>
      <div class="unseen">
        <table>
          <caption>{texts.chart}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.month}</th>
              <th scope="col">{texts.moneyIn}</th>
              <th scope="col">{texts.moneyOut}</th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, moneyIn, moneyOut }) => (
              <tr key={month}>
                <th scope="row">{dates.month(month)}</th>
                <td>{money(moneyIn)}</td>
                <td>{money(moneyOut)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The chart's place while the sums are on their way, so that nothing moves when they come. */
export function WaitingChart() {
  return (
    <section class="chart card waiting" aria-hidden="true">
      <header>
        <span class="name" />
      </header>
      <div class="sums">
        <span class="more" />
        <span class="more" />
      </div>
      <div class="columns">
        {Array.from({ length: mostMonths }, (_, index) => (
          <div key={index} class="column">
            <Column month={{ month: '', currency: '', moneyIn: '3', moneyOut: '2' }} largest={4} />
            <span>{'\u00a0'}</span>
          </div>
        ))}
      </div>
    </section>
  );
}

function Column({ month: { moneyIn, moneyOut }, largest }: { month: Month; largest: number }) {
  // Something is never nothing: the smallest sum is still a line.
  const height = (text: string) => (Number(text) > 0 ? Math.max(2, (Number(text) / largest) * (half - 2)) : 0);
  const [up, down] = [height(moneyIn), height(moneyOut)];
  return (
    <svg viewBox={`0 0 16 ${2 * half}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect class="in" x="1" width="14" y={half - 1 - up} height={up} rx="2.5" />
      <rect class="out" x="1" width="14" y={half + 1} height={down} rx="2.5" />
    </svg>
  );
}
