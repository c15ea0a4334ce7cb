/** The texts of a camt.053 entry. */

/** The texts inside an entry by their path below it. A repeated element has several texts. */
export type Texts = Map<string, string[]>;

/** A row to be created: the entry, and its transaction inside the entry. */
export interface Part {
  entry: Texts;
  detail: Texts;
  /** Whether the row is one transaction of a batch booking, not the whole entry. */
  isOfBatch: boolean;
}

/** The first text under the first of these paths that has one. */
export function firstText(texts: Texts, ...keys: string[]): string | undefined {
  return keys.map((key) => texts.get(key)?.[0]).find(Boolean);
}
