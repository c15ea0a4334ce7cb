/** How the rows of `transactions t` are compared with a filter, in SQL. The time range is not part of it. */
import { arrayLiteral } from '../../formats/sql-literals.ts';
import type { Filter } from '../filter.ts';
import { withoutAccents } from '../transaction.ts';
import { searchPattern } from './search-pattern.ts';

/** The amounts of a filter. `first` is the number of their first parameter. */
export const matchesAmounts = (first: number) => `
  ($${first}::numeric is null or t.amount >= $${first}::numeric)
  and ($${first + 1}::numeric is null or t.amount <= $${first + 1}::numeric)`;

/** Amounts, facets and search, with the parameters of `matchParameters`. */
export const matchesRow = (first: number) => `
  ${matchesAmounts(first)}
  and ($${first + 2}::text is null or t.transaction_type = $${first + 2})
  and ($${first + 3}::text is null or t.transaction_category = $${first + 3})
  and ($${first + 4}::text is null or t.transaction_status = $${first + 4})
  and ($${first + 5}::text is null or t.currency = $${first + 5})
  and ${matchesSearch('t.search_text', `$${first + 6}`)}`;

export function matchParameters(filter: Filter): (string | null)[] {
  return [
    filter.amountFrom ?? null,
    filter.amountTo ?? null,
    filter.transactionType ?? null,
    filter.transactionCategory ?? null,
    filter.transactionStatus ?? null,
    filter.currency ?? null,
    searchParameter(filter),
  ];
}

/**
 * The parameter of a search: its text, and the same with each accented letter as two characters. If it leaves some accents
 * out, also its pattern, and a text that every row contains that the pattern may match.
 *
 * Lower case has two forms of sigma: ς at the end of a word, σ elsewhere. A part of a word may end with another form than
 * the word has there, so both sides are compared with σ: ΚΩΣ is found in ΚΩΣΤΑΣ.
 */
export function searchParameter({ search }: Filter): string | null {
  if (search === undefined) return null;
  const text = search.replaceAll('ς', 'σ');
  const pattern = searchPattern(text) ?? null;
  const plain = text.includes('σ') ? '' : withoutAccents(text);
  return arrayLiteral([text, text.normalize('NFD'), pattern, pattern && plain]);
}

/** As subqueries, which PostgreSQL reads once and not for each row. */
const part = (parameter: string, number: number) => `(select (${parameter}::text[])[${number}])`;

/**
 * The text in which it is found. Rows that release 0.2.0 recorded have accented letters as their sender wrote them. Most
 * searches have neither accents nor a sigma: PostgreSQL looks for them once, not for each row.
 */
export function searchedIn(searchText: string, parameter: string): string {
  const [search, twoCharacters] = [part(parameter, 1), part(parameter, 2)];
  return `case when (select strpos(${search}, 'σ') > 0 or ${search} <> ${twoCharacters})
    then replace(replace(${searchText}, 'ς', 'σ'), ${twoCharacters}, ${search}) else ${searchText} end`;
}

export const searchOf = (parameter: string) => part(parameter, 1);
export const patternOf = (parameter: string) => part(parameter, 3);

/** Whether a text matches the search. True without a search. The pattern is tried only where it may match: that takes long. */
export function matchesSearch(searchText: string, parameter: string): string {
  return `(${parameter}::text[] is null or strpos(${searchedIn(searchText, parameter)}, ${searchOf(parameter)}) > 0 or case
    when strpos(${searchText}, ${part(parameter, 4)}) > 0 then ${searchText} ~ ${patternOf(parameter)} else false end)`;
}
