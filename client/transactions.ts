/** Wallet activity, in its own file, so that a page that only shows transactions loads nothing else. */
import { get, read, withQuery, type CallOptions, type Calls } from './calls.ts';
import { TransactionMirror, type MirrorOptions } from './mirror.ts';
import { readStream } from './streams.ts';
import type {
  DetailedTransaction,
  LiveState,
  SyncOptions,
  SyncPage,
  Transaction,
  TransactionPage,
  TransactionTotals,
  TransactionVersion,
} from './transaction-types.ts';
import type * as wire from './types.ts';

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

  /**
   * What changed since `cursor`, page by page, until there is no more. Put added and modified rows by their
   * transactionId, and store nextCursor with them: the next call continues there. The page after is requested when the
   * caller is done with the one before, so a caller that stops half-way misses nothing and gets nothing again.
   */
  async function* sync(
    individualId: number,
    { cursor, count, details, ...options }: SyncOptions = {},
  ): AsyncGenerator<SyncPage, void, undefined> {
    for (let position = cursor; ;) {
      const request = { individualId, cursor: position, count: count ?? 1000, details };
      const page = await json<SyncPage>(read('/app/sync-transactions', request, options));
      yield page;
      if (!page.hasMore) return;
      position = page.nextCursor;
    }
  }

  /**
   * The state of an individual's transactions, immediately and after every change; read the list after each.
   * Reconnects by itself, and ends when the signal is aborted. A token that is bound to a user needs no id.
   */
  async function* live(individualId?: number, options?: CallOptions): AsyncGenerator<LiveState, void> {
    const call = { ...get(withQuery('/app/live', { individualId }), options), accept: 'text/event-stream' };
    for await (const { data } of readStream(transport, call)) yield JSON.parse(data) as LiveState;
  }

  return {
    listTransactions,
    transactionPages,
    sync,
    live,

    /** A copy of the individual's transactions that follows the changes: see `TransactionMirror`. */
    mirror: (individualId: number, options: MirrorOptions = {}): TransactionMirror =>
      new TransactionMirror({ sync, live }, individualId, options),

    /** Every row of a list. Pages are read as they are needed. */
    async *transactions(
      request: Omit<wire.AllTransactionRequestModel, 'dataBatch'>,
      options?: CallOptions,
    ): AsyncGenerator<Transaction, void, undefined> {
      for await (const page of transactionPages(request, options)) yield* page.transactions;
    },

    /** With its details. */
    getTransaction(request: wire.GetTransactionRequest, options?: CallOptions): Promise<DetailedTransaction> {
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
  };
}
