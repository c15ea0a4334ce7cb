/** The rows around the visible part of the list. Pages are read by number as they come into view, in any order. */
import type { Transaction, TransactionPage } from '../../../client/index.ts';

export const pageSize = 100;
const inFlight = 2;
const keptPages = 50;

export interface RowsOptions {
  /** The first page, if it has been read already. */
  first: Transaction[] | undefined;
  /** The rows of the same list before it was read again. They are shown until the new ones are there. */
  earlier: Rows | undefined;
  fetchPage(dataBatch: number, dataBatchCount: number): Promise<TransactionPage>;
  onChange(): void;
  onError(error: unknown): void;
}

export class Rows {
  readonly #options: RowsOptions;
  readonly #pages = new Map<number, Transaction[]>();
  readonly #earlierPages = new Map<number, Transaction[]>();
  readonly #loading = new Set<number>();
  #wanted: number[] = [];
  #stopped = false;

  constructor(options: RowsOptions) {
    this.#options = options;
    const { first, earlier } = options;
    if (first) this.#pages.set(0, first);
    // Copied: with a reference to the earlier rows, every list that was ever read would stay in memory.
    if (earlier) this.#earlierPages = new Map([...earlier.#earlierPages, ...earlier.#pages].slice(-keptPages));
  }

  at(row: number): Transaction | undefined {
    const page = Math.floor(row / pageSize);
    return (this.#pages.get(page) ?? this.#earlierPages.get(page))?.[row % pageSize];
  }

  /** The position of a row, if it is in memory. */
  indexOf(transactionId: string): number | undefined {
    for (const pages of [this.#pages, this.#earlierPages]) {
      for (const [page, rows] of pages) {
        const index = rows.findIndex((row) => row.transactionId === transactionId);
        if (index >= 0) return page * pageSize + index;
      }
    }
    return undefined;
  }

  /** The values of one member in all rows in memory, which the filters offer. */
  valuesOf(member: 'transactionType' | 'transactionStatus'): string[] {
    const pages = [...this.#earlierPages.values(), ...this.#pages.values()];
    const values = pages.flatMap((rows) => rows.map((row) => row[member]));
    return [...new Set(values)].filter((value) => value !== '');
  }

  /** Reads the pages of the rows on screen. Pages that were scrolled past before they were requested are left out. */
  want(first: number, last: number): void {
    const [from, to] = [Math.floor(first / pageSize), Math.floor(Math.max(first, last) / pageSize)];
    this.#wanted = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    for (const page of this.#wanted) {
      const rows = this.#pages.get(page);
      if (!rows) continue;
      // Moved to the end of the map: the pages at its start are dropped first.
      this.#pages.delete(page);
      this.#pages.set(page, rows);
    }
    this.#fill();
  }

  /** Reads the page of a row that is not on screen. */
  fetch(row: number): void {
    const page = Math.floor(row / pageSize);
    if (!this.#stopped && !this.#pages.has(page) && !this.#loading.has(page)) void this.#load(page);
  }

  stop(): void {
    this.#stopped = true;
  }

  #fill(): void {
    for (const page of this.#wanted) {
      if (this.#stopped || this.#loading.size >= inFlight) return;
      if (!this.#pages.has(page) && !this.#loading.has(page)) void this.#load(page);
    }
  }

  async #load(page: number): Promise<void> {
    this.#loading.add(page);
    try {
      const { transactions } = await this.#options.fetchPage(page + 1, pageSize);
      if (this.#stopped) return;
      this.#pages.set(page, transactions);
      this.#earlierPages.delete(page);
      for (const [oldest] of this.#pages) {
        if (this.#pages.size <= keptPages) break;
        this.#pages.delete(oldest);
      }
      this.#options.onChange();
    } catch (error) {
      if (this.#stopped) return;
      this.#wanted = [];
      this.#options.onError(error);
    } finally {
      this.#loading.delete(page);
    }
    this.#fill();
  }
}
