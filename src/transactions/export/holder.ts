/** The holder of an account, as the rows name them: the sender of a debit, and the receiver of a credit. */
import type { Holder, StatementRow } from '../../statements/statement.ts';

/** A name or an account that fewer than half of the rows have may be that of somebody else, and is left out. */
export function holderOf(rows: readonly StatementRow[]): Holder {
  const names: string[] = [];
  const ibans: string[] = [];
  for (const { category, senderName, receiverName, details } of rows) {
    const direction = category.toLowerCase();
    if (direction === 'debit') add(senderName, details.senderIban);
    if (direction === 'credit') add(receiverName, details.receiverIban);
  }
  return { name: majorityOf(names), iban: majorityOf(ibans) };

  function add(name: string, iban: string | undefined): void {
    if (name !== '') names.push(name);
    if (iban !== undefined && iban !== '') ibans.push(iban);
  }
}

function majorityOf(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].find(([, count]) => count * 2 > values.length)?.[0];
}
