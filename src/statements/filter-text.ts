/** The filters of a statement in the words of its language, so that a reader knows when rows are left out. */
import { isolateLeftToRight } from './direction.ts';
import type { StatementTexts } from './statement-texts.ts';
import { nameOf, type Words } from '../words/words.ts';

export function describeFilter(texts: StatementTexts, words: Words, name: string, value: string): string {
  switch (name) {
    case 'amountFrom':
      return `${texts.amount} ${isolateLeftToRight(`≥ ${value}`)}`;
    case 'amountTo':
      return `${texts.amount} ${isolateLeftToRight(`≤ ${value}`)}`;
    case 'transactionType':
      return `${texts.type}: ${nameOf(words.types, value)}`;
    case 'transactionStatus':
      return `${texts.status}: ${nameOf(words.statuses, value)}`;
    case 'transactionCategory':
      return `${texts.category}: ${nameOf({ credit: texts.moneyIn, debit: texts.moneyOut }, value)}`;
    case 'currency':
      return `${texts.currency}: ${value.toUpperCase()}`;
    case 'search':
      return `${texts.search}: ${value}`;
    default:
      return `${name}: ${value}`;
  }
}
