/** How a search is compared with the search texts of rows, in SQL. */
import { arrayLiteral } from '../../formats/sql-literals.ts';

/**
 * The parameter of a search: its text, and the same with each accented letter as two characters.
 *
 * Lower case has two forms of sigma: ς at the end of a word, σ elsewhere. A part of a word may end with another form than
 * the word has there, so both sides are compared with σ: ΚΩΣ is found in ΚΩΣΤΑΣ.
 */
export function searchParameter({ search }: { search?: string | undefined }): string | null {
  if (search === undefined) return null;
  const text = search.replaceAll('ς', 'σ');
  return arrayLiteral([text, text.normalize('NFD')]);
}

/** As subqueries, which PostgreSQL reads once and not for each row. */
export const searchOf = (parameter: string) => `(select (${parameter}::text[])[1])`;
const decomposed = (parameter: string) => `(select (${parameter}::text[])[2])`;

/**
 * The text in which it is found. Rows that release 0.2.0 recorded have accented letters as their sender wrote them. Most
 * searches have neither accents nor a sigma: PostgreSQL looks for them once, not for each row.
 */
export function searchedIn(searchText: string, parameter: string): string {
  const [search, twoCharacters] = [searchOf(parameter), decomposed(parameter)];
  return `case when (select strpos(${search}, 'σ') > 0 or ${search} <> ${twoCharacters})
    then replace(replace(${searchText}, 'ς', 'σ'), ${twoCharacters}, ${search}) else ${searchText} end`;
}

/** Whether a text contains the search. True without a search. */
export function matchesSearch(searchText: string, parameter: string): string {
  return `(${parameter}::text[] is null or strpos(${searchedIn(searchText, parameter)}, ${searchOf(parameter)}) > 0)`;
}
