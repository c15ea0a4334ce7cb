/** The types of what the element tells the page. They are the beginning of the types that are shipped with its script. */

/** Gives a token; `refused` is true when the service refused the last one. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

/** The detail of `ledgerline-loaded`. */
export interface LoadedDetail {
  /** How many transactions match the filter. */
  transactionCount: number;
}

/** The detail of `ledgerline-transaction-open`. */
export interface TransactionOpenDetail {
  transactionId: string;
  /** The row, as get-all-transactions gives it. */
  transaction: Readonly<Record<string, unknown>>;
}

/** The detail of `ledgerline-session-expired`. */
export interface SessionExpiredDetail {
  error: unknown;
  /** The id of the refused request in the log of the service. */
  traceId: string | undefined;
}
