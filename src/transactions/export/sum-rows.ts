/**
 * The totals of a statement, added up from the rows that it prints: so the two agree, whatever has changed since the rows
 * were counted. As in `summarize-transactions`, rejected and cancelled transactions are counted, but moved no money.
 */
import { createMonthOf } from '../../statements/formats.ts';
import type { CurrencyTotals, MonthTotals, StatementRow } from '../../statements/statement.ts';
import { addAmounts } from '../amount.ts';
import { foldCase } from '../transaction.ts';

/** The rows must be oldest first. */
export function sumRows(
  rows: readonly StatementRow[],
  timeZone: string,
): { totals: CurrencyTotals[]; months: MonthTotals[] } {
  const monthOf = createMonthOf(timeZone);
  const byMonth = new Map<string, StatementRow[]>();
  for (const row of rows) {
    const month = monthOf(row.timeStamp);
    const those = byMonth.get(month);
    if (those) those.push(row);
    else byMonth.set(month, [row]);
  }
  return {
    totals: sumCurrencies(rows),
    months: [...byMonth].map(([month, those]) => ({ month, totals: sumCurrencies(those) })),
  };
}

function sumCurrencies(rows: readonly StatementRow[]): CurrencyTotals[] {
  const byCurrency = new Map<string, CurrencyTotals>();
  for (const { currency, amount, category, status } of rows) {
    const sum = byCurrency.get(currency) ?? { currency, count: 0, moneyIn: '0', moneyOut: '0', other: '0' };
    byCurrency.set(currency, sum);
    sum.count += 1;
    if (['rejected', 'cancelled'].includes(foldCase(status))) continue;
    const kind = kindOf(category);
    sum[kind] = addAmounts(sum[kind], amount);
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

function kindOf(category: string): 'moneyIn' | 'moneyOut' | 'other' {
  const folded = foldCase(category);
  if (folded === 'credit') return 'moneyIn';
  return folded === 'debit' ? 'moneyOut' : 'other';
}
