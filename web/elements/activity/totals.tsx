/** What the rows of a filter add up to. */
import { sumsOf, type Layout } from './layout.ts';
import { formatMoney } from '../../intl/money.ts';
import { useViewer } from './viewer.ts';

export function Totals({ layout }: { layout: Layout }) {
  const { texts, locale } = useViewer();
  return (
    <section class="totals" aria-label={texts.total}>
      {sumsOf(layout).map(({ currency, moneyIn, moneyOut }) => (
        <dl key={currency}>
          <div class="in">
            <dt>{texts.moneyIn}</dt>
            <dd>{formatMoney(locale, moneyIn, currency)}</dd>
          </div>
          <div class="out">
            <dt>{texts.moneyOut}</dt>
            <dd>{formatMoney(locale, moneyOut, currency)}</dd>
          </div>
        </dl>
      ))}
    </section>
  );
}
