/** How a search is compared with the search texts of rows, in SQL. */

/**
 * Lower case has two forms of sigma: ς at the end of a word, σ elsewhere. A part of a word may end with another form than
 * the word has there, so both sides are compared with σ: ΚΩΣ is found in ΚΩΣΤΑΣ.
 */
export function searchParameter({ search }: { search?: string | undefined }): string | null {
  return search?.replaceAll('ς', 'σ') ?? null;
}

/** The text in which it is found. Most searches have no sigma: PostgreSQL looks for one once, not for each row. */
export function searchedIn(searchText: string, search: string): string {
  return `case when (select strpos(${search}, 'σ') > 0) then replace(${searchText}, 'ς', 'σ') else ${searchText} end`;
}
