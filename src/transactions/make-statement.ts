/** A statement: a document with the rows that the list would return, oldest first, and totals by currency. */
import type { Clock } from '../clock.ts';
import { JsonObject, type JsonNumber } from '../formats/json.ts';
import { readJson } from '../formats/json-reader.ts';
import { invalidFields, noTransactions, unknownIndividual } from '../errors.ts';
import { Slots, type Owner } from '../slots.ts';
import type { CurrencyTotals, StatementHead, StatementRow, StatementWriter } from '../statements/statement.ts';
import { timeZoneMessage } from '../values/time-zone.ts';
import { addAmounts } from './amount.ts';
import type { PageTokens } from './page-token.ts';
import type { Filter } from './filter.ts';
import { readTransaction } from './transaction.ts';
import type { TransactionsStore } from './transactions.store.ts';

/** The worker keeps about 25 KB for each row until the end: the structure that screen readers use. */
export const maxStatementRows = 10_000;

export interface StatementRequest {
  individualId: number;
  filter: Filter;
  asOf: string | undefined;
  timeZone: string;
  locale: string;
  owner: Owner;
}

export interface StatementReply {
  chunks: AsyncIterable<Uint8Array>;
  asOf: string;
}

export interface StatementParts {
  store: TransactionsStore;
  clock: Clock;
  pageTokens: PageTokens;
  extraFont: string | undefined;
  slots: Slots;
  openWriter(head: StatementHead): StatementWriter;
}

/**
 * Limits the documents that are made at the same time. A document keeps its slot until the caller has read it, since
 * its unread part is in memory.
 */
export function createDocumentSlots(slots: number): Slots {
  return new Slots({ slots, waiting: 0, waitMilliseconds: 0, retrySeconds: 10 });
}

export function createMakeStatement({ store, clock, pageTokens, extraFont, slots, openWriter }: StatementParts) {
  return async function makeStatement(request: StatementRequest): Promise<StatementReply> {
    const { individualId, filter, timeZone, owner } = request;
    const now = clock.now();
    const pinned = request.asOf === undefined ? undefined : pageTokens.read(request.asOf, individualId, now);
    // Rows that arrive from now on are in neither the totals nor the rows.
    const upTo = pinned ?? (await store.countAll(individualId));
    if (upTo === undefined) throw unknownIndividual();
    const rows = { individualId, filter, upTo, isPinned: pinned !== undefined, owner };
    const summed = await store.sumPeriods({ ...rows, by: 'month', timeZone });
    if (summed === 'unknown-time-zone') {
      throw invalidFields({ TimeZone: [timeZoneMessage.replace('{0}', 'TimeZone')] });
    }
    if (!summed) throw unknownIndividual();
    if (summed.total === 0) throw noTransactions();
    if (summed.count > maxStatementRows) throw tooManyRows(summed.count);
    const head: StatementHead = {
      individualId,
      locale: request.locale,
      timeZone,
      madeAt: now.toISOString(),
      from: filter.from,
      to: filter.to,
      filters: describeFilter(filter),
      totals: sumCurrencies(summed.items.toString()),
      extraFont,
    };
    return {
      chunks: writeStatement(
        () => slots.take(owner),
        () => openWriter(head),
        store.readAll({ ...rows, isOldestFirst: true }),
      ),
      asOf: request.asOf ?? pageTokens.issue(individualId, summed.total, now),
    };
  };
}

function tooManyRows(count: number) {
  return invalidFields({
    TimestampFrom: [
      `A statement has at most ${maxStatementRows} rows, and these are ${count}. Narrow the time range, or export the rows.`,
    ],
  });
}

/** The first rows are read before the writer opens: until then an error can still be the answer. */
export async function* writeStatement(
  takeSlot: () => Promise<() => void>,
  open: () => StatementWriter,
  bodies: AsyncIterable<string[]>,
): AsyncGenerator<Uint8Array> {
  const release = await takeSlot();
  let writer: StatementWriter | undefined;
  try {
    for await (const some of bodies) {
      writer ??= open();
      yield* await writer.write(some.map(rowOf));
    }
    writer ??= open();
    const rest = await writer.end();
    // The worker uses far more memory than the part that is still to be read.
    writer.close();
    yield* rest;
  } finally {
    writer?.close();
    release();
  }
}

function rowOf(body: string): StatementRow {
  const { transactionId, timeStamp, amount, currency, ...rest } = readTransaction(0, body);
  return {
    ...{ transactionId, timeStamp, amount, currency },
    category: rest.transactionCategory,
    type: rest.transactionType,
    status: rest.transactionStatus,
    senderName: rest.senderName,
    receiverName: rest.receiverName,
    notes: rest.paymentNotes,
    paymentSystem: rest.paymentSystem,
  };
}

function sumCurrencies(items: string): CurrencyTotals[] {
  const byCurrency = new Map<string, CurrencyTotals>();
  for (const period of readJson(`[${items}]`) as JsonObject[]) {
    const [, currency, count, moneyIn, moneyOut, other] = period.values as [
      string,
      string,
      ...[JsonNumber, JsonNumber, JsonNumber, JsonNumber],
    ];
    const sum = byCurrency.get(currency) ?? { currency, count: 0, moneyIn: '0', moneyOut: '0', other: '0' };
    byCurrency.set(currency, {
      currency,
      count: sum.count + Number(count.text),
      moneyIn: addAmounts(sum.moneyIn, moneyIn.text),
      moneyOut: addAmounts(sum.moneyOut, moneyOut.text),
      other: addAmounts(sum.other, other.text),
    });
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** The filters except the time range. They are printed, so that a reader knows when rows are left out. */
function describeFilter({ from: _from, to: _to, ...rest }: Filter): [string, string][] {
  return Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined);
}
