/** A statement: a document with the rows that the list would return, oldest first, and totals by currency. */
import { PassThrough, type Readable } from 'node:stream';
import { inBackground } from '../../monitoring/background.ts';
import type { Clock } from '../../values/clock.ts';
import { writeJson, type Json } from '../../formats/json.ts';
import { invalidFields, noTransactions, unknownIndividual } from '../../errors.ts';
import { SharedStreams } from '../../sharing/shared-streams.ts';
import { Slots, type Owner } from '../../sharing/slots.ts';
import type { StatementDetails, StatementRow, StatementWriter } from '../../statements/statement.ts';
import { openWriter } from '../../statements/statement-writer.ts';
import { detailNames } from '../details/details.ts';
import type { PageTokens } from '../list/page-token.ts';
import { holderOf } from './holder.ts';
import { sumRows } from './sum-rows.ts';
import type { Filter } from '../filter.ts';
import { readTransaction } from '../transaction.ts';
import type { TransactionsStore } from '../transactions.store.ts';

/** The worker keeps about 7 KB for each row until the end, most of it the structure that screen readers use. */
export const maxStatementRows = 10_000;

/** Of the texts in the rows, which are in memory until they are drawn. */
const maxStatementCharacters = 4_000_000;

/** The rows that the worker gets at a time: 0.1 s of work, from right to left 0.3 s. */
const rowsAtOnce = 100;

/** A statement with more rows uses up to 280 MB, a smaller one up to 70 MB. */
const largeRows = 1000;

export interface StatementRequest {
  individualId: number;
  filter: Filter;
  asOf: string | undefined;
  timeZone: string;
  locale: string;
  owner: Owner;
}

export interface StatementReply {
  chunks: Readable;
  asOf: string;
}

/** What statements and confirmations are made with. */
export interface DocumentParts {
  store: TransactionsStore;
  clock: Clock;
  pageTokens: PageTokens;
  extraFont: string | undefined;
  desk: DocumentDesk;
  brand: string;
}

/** The rows of a document, and what writes them. */
export interface DocumentRequest {
  owner: Owner;
  /** At most. */
  rowCount: number;
  bodies: AsyncIterable<string[]> | Iterable<string[]>;
  open(rows: readonly StatementRow[]): StatementWriter;
}

/**
 * Makes documents. Each is made as fast as it can be, whether its reader is fast or slow: so a slot for the making is
 * never kept by a reader. It is ended when its caller leaves.
 */
export class DocumentDesk {
  /** One thread each: more would leave no processor time for requests. */
  readonly #making = new Slots({ slots: 3, waiting: 64, waitMilliseconds: 30_000, retrySeconds: 10 });
  readonly #makingLarge = new Slots({ slots: 1, waiting: 64, waitMilliseconds: 30_000, retrySeconds: 10 });
  /** Documents that are being made or read. Their unread parts are in memory: 10 MB at most. */
  readonly #streams: SharedStreams;
  readonly #whileWaiting: <T>(work: () => Promise<T>, owner: Owner) => Promise<T>;

  constructor(documents: number, whileWaiting: <T>(work: () => Promise<T>, owner: Owner) => Promise<T>) {
    this.#streams = new SharedStreams(documents);
    this.#whileWaiting = whileWaiting;
  }

  /** Documents that are being made. */
  get making(): number {
    return this.#making.running;
  }

  /** Documents that are being made or read. */
  get open(): number {
    return this.#streams.use.running;
  }

  /** Resolves when the rows are read: until then an error can be the answer. */
  async make(order: DocumentRequest): Promise<Readable> {
    return this.#whileWaiting(() => this.#start(order), order.owner);
  }

  async #start({ owner, rowCount, bodies, open }: DocumentRequest): Promise<Readable> {
    const stream = await this.#streams.open(owner);
    // It holds everything that is not read yet.
    const output = new PassThrough().once('close', () => stream.close());
    try {
      const release = await this.#takeSlot(owner, rowCount);
      try {
        const rows = await readRows(bodies);
        const writer = open(rows);
        const write = async () => {
          await writeDocument(rows, writer, output);
          release();
          stream.waitForReader();
        };
        inBackground(write, (error) => output.destroy(error as Error));
      } catch (error) {
        release();
        throw error;
      }
    } catch (error) {
      output.destroy();
      throw error;
    }
    return output;
  }

  async #takeSlot(owner: Owner, rowCount: number): Promise<() => void> {
    if (rowCount <= largeRows) return this.#making.take(owner);
    const releaseLarge = await this.#makingLarge.take(owner);
    try {
      const release = await this.#making.take(owner);
      return () => {
        release();
        releaseLarge();
      };
    } catch (error) {
      releaseLarge();
      throw error;
    }
  }
}

async function readRows(bodies: DocumentRequest['bodies']): Promise<StatementRow[]> {
  const rows: StatementRow[] = [];
  let characters = 0;
  for await (const some of bodies) {
    const read = some.map(rowOf);
    for (const { transactionId, type, status, senderName, receiverName, notes, details } of read) {
      const texts = [transactionId, type, status, senderName, receiverName, notes, ...Object.values(details)];
      for (const text of texts) characters += text.length;
    }
    if (characters > maxStatementCharacters) throw tooLarge(`${maxStatementCharacters} characters`);
    rows.push(...read);
  }
  return rows;
}

/** Never rejects: an error ends the output. The end of the output, for whatever reason, ends the writer. */
async function writeDocument(
  rows: readonly StatementRow[],
  writer: StatementWriter,
  output: PassThrough,
): Promise<void> {
  output.once('close', () => writer.close());
  const add = (chunks: Uint8Array[]) => {
    for (const chunk of chunks) output.write(chunk);
  };
  try {
    for (let first = 0; first < rows.length; first += rowsAtOnce) {
      add(await writer.write(rows.slice(first, first + rowsAtOnce)));
    }
    add(await writer.end());
    output.end();
  } catch (error) {
    output.destroy(error as Error);
  } finally {
    // The worker uses far more memory than the part that is still to be read.
    writer.close();
  }
}

export function createMakeStatement(parts: DocumentParts) {
  const { store, clock, pageTokens, extraFont, brand, desk } = parts;
  return async function makeStatement(request: StatementRequest): Promise<StatementReply> {
    const { individualId, filter, timeZone, owner } = request;
    const now = clock.now();
    const pinned = request.asOf === undefined ? undefined : pageTokens.read(request.asOf, individualId, now);
    // Rows that arrive from now on are in neither the totals nor the rows.
    const upTo = pinned ?? (await store.countAll(individualId));
    if (upTo === undefined) throw unknownIndividual();
    const rows = { individualId, filter, upTo, isPinned: pinned !== undefined, owner };
    const counted = await store.listPage({ ...rows, page: { number: 1, size: 1 } });
    if (!counted) throw unknownIndividual();
    if (counted.total === 0) throw noTransactions();
    if (counted.count > maxStatementRows) throw tooLarge(`${maxStatementRows} rows, and these are ${counted.count}`);
    const head = {
      individualId,
      locale: request.locale,
      timeZone,
      madeAt: now.toISOString(),
      from: filter.from,
      to: filter.to,
      filters: describeFilter(filter),
      brand,
      extraFont,
    };
    return {
      chunks: await desk.make({
        owner,
        rowCount: counted.count,
        bodies: store.readAll({ ...rows, isOldestFirst: true, hasDetails: true }),
        open: (read) =>
          openWriter({
            kind: 'statement',
            head: { ...head, ...sumRows(read, timeZone), rowCount: read.length, holder: holderOf(read) },
          }),
      }),
      asOf: request.asOf ?? pageTokens.issue(individualId, counted.total, now),
    };
  };
}

function tooLarge(limit: string) {
  return invalidFields({
    TimestampFrom: [`A statement has at most ${limit}. Narrow the time range, or export the rows.`],
  });
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
    details: detailTexts(rest),
  };
}

function detailTexts(members: object): StatementDetails {
  return Object.fromEntries(
    Object.entries(members as Record<string, Json>).flatMap(([name, value]) =>
      (detailNames as readonly string[]).includes(name)
        ? [[name, typeof value === 'string' ? value : writeJson(value)]]
        : [],
    ),
  );
}

/** The filters except the time range. They are printed, so that a reader knows when rows are left out. */
function describeFilter({ from: _from, to: _to, ...rest }: Filter): [string, string][] {
  return Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined);
}
