/** Wallet activity, in its own file, so that a page that only shows transactions loads nothing else. */
import { get, read, withQuery, type CallOptions, type Calls } from './calls.ts';
import { readStream } from './streams.ts';
import type * as wire from './types.ts';

/** The amount as a number, for sorting and charts, and its exact digits, for display and sums. */
export interface Transaction extends wire.Transaction {
  amountText: string;
}

/** A transaction as it was at a time. */
export interface TransactionVersion extends wire.TransactionVersion {
  amountText: string;
}

export interface TransactionPeriod extends wire.TransactionPeriod {
  moneyInText: string;
  moneyOutText: string;
  otherText: string;
}

export interface TransactionPage {
  transactions: Transaction[];
  /** All rows that match, over all pages. */
  transactionCount: number;
  /** Pass it with the next page, so that rows that arrive later do not shift the pages. */
  asOf: string;
}

export interface TransactionTotals {
  periods: TransactionPeriod[];
  transactionCount: number;
  asOf: string;
}

/** The state of an individual's transactions. */
export interface LiveState {
  /** Increases with every change. */
  sequence: number;
  transactionCount: number;
}

export type ExportFormat = 'csv' | 'ndjson';
const exportTypes: Record<ExportFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

export type TransactionFunctions = ReturnType<typeof transactionFunctions>;

export function transactionFunctions({ transport, json, jsonAndHeaders }: Calls) {
  async function listTransactions(
    request: wire.AllTransactionRequestModel,
    options?: CallOptions,
  ): Promise<TransactionPage> {
    const call = read('/app/get-all-transactions', request, options);
    const { value, headers } = await jsonAndHeaders<Omit<TransactionPage, 'asOf'>>(call);
    return { ...value, asOf: headers.get('as-of') ?? '' };
  }

  /** The pages of a list, one after another. All pages show the rows that existed when the first page was read. */
  async function* transactionPages(
    request: Omit<wire.AllTransactionRequestModel, 'dataBatch'> & { dataBatch?: number },
    options?: CallOptions,
  ): AsyncGenerator<TransactionPage, void, undefined> {
    const size = request.dataBatchCount ?? 100;
    let { asOf } = request;
    for (let dataBatch = request.dataBatch ?? 1; ; dataBatch += 1) {
      const page = await listTransactions({ ...request, dataBatch, dataBatchCount: size, asOf }, options);
      asOf = page.asOf;
      if (page.transactions.length > 0) yield page;
      if (dataBatch * size >= page.transactionCount) return;
    }
  }

  return {
    listTransactions,
    transactionPages,

    /** Every row of a list. Pages are read as they are needed. */
    async *transactions(
      request: Omit<wire.AllTransactionRequestModel, 'dataBatch'>,
      options?: CallOptions,
    ): AsyncGenerator<Transaction, void, undefined> {
      for await (const page of transactionPages(request, options)) yield* page.transactions;
    },

    getTransaction(request: wire.GetTransactionRequest, options?: CallOptions): Promise<Transaction> {
      return json(read('/app/get-transaction', request, options));
    },

    /** Every version of the transaction, oldest first. */
    async getTransactionHistory(
      request: wire.GetTransactionRequest,
      options?: CallOptions,
    ): Promise<TransactionVersion[]> {
      const call = read('/app/get-transaction-history', request, options);
      return (await json<{ history: TransactionVersion[] }>(call)).history;
    },

    /** Sending a row again is safe. Give amounts as decimal strings if a double cannot represent them. */
    recordTransactions(
      transactions: wire.TransactionRow[],
      options?: CallOptions,
    ): Promise<wire.RecordTransactionsResponse> {
      return json(read('/app/record-transactions', { transactions }, options));
    },

    async summarizeTransactions(
      request: wire.SummarizeTransactionsRequest,
      options?: CallOptions,
    ): Promise<TransactionTotals> {
      const call = read('/app/summarize-transactions', request, options);
      const { value, headers } = await jsonAndHeaders<Omit<TransactionTotals, 'asOf'>>(call);
      return { ...value, asOf: headers.get('as-of') ?? '' };
    },

    /** The response itself: `body` is a stream, `blob()` reads all of it. */
    exportTransactions: (
      request: wire.ExportTransactionsRequest,
      format: ExportFormat = 'csv',
      options?: CallOptions,
    ): Promise<Response> =>
      transport({ ...read('/app/export-transactions', request, options), accept: exportTypes[format] }),

    /** A PDF. The response itself: `body` is a stream, `blob()` reads all of it. */
    makeStatement: (request: wire.StatementRequest, options?: CallOptions): Promise<Response> =>
      transport({ ...read('/app/statement', request, options), accept: 'application/pdf' }),

    /**
     * The state of an individual's transactions, immediately and after every change; read the list after each.
     * Reconnects by itself, and ends when the signal is aborted. A token that is bound to a user needs no id.
     */
    async *live(individualId?: number, options?: CallOptions): AsyncGenerator<LiveState, void> {
      const call = { ...get(withQuery('/app/live', { individualId }), options), accept: 'text/event-stream' };
      for await (const { data } of readStream(transport, call)) yield JSON.parse(data) as LiveState;
    },
  };
}
