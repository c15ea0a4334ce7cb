/** Records transactions: one batch is one transaction. */
import { randomInt } from 'node:crypto';
import type { Database, DatabaseTransaction, Statement } from '../../db/database.ts';
import { isDuplicateKey, isLostOnCitus, retryLostRace } from '../../db/failures.ts';
import { groupByShard, type Shard } from '../../db/citus/shards.ts';
import type { Owner } from '../../sharing/slots.ts';
import { eventsOfBatch, type EventCounts, type TransactionEvent } from './record-events.ts';
import { planBatch, type BatchPlan, type RecordPlanResult, type StoredRow } from './record-rules.ts';
import {
  changeDetails,
  copyDistributedEvents,
  copyTransactions,
  insertFew,
  keepReplaced,
  lockIndividuals,
  lockInShard,
  minCopiedRows,
  readStored,
  readStoredInShard,
  updateTransactions,
  writeCounts,
  writeEvents,
  type Counts,
} from './record-statements.store.ts';
import {
  addTerms,
  addToBlocks,
  blockSizeOf,
  cutBlocks,
  defaultBlockSizes,
  makeBlocks,
  type BlockSizes,
  type ChangedRow,
  type ChangedTimeRange,
  type NumberedRow,
} from '../list/transaction-blocks.store.ts';
import { insertNewBlocks, makeNewBlocks, placeRanges, type Gap } from '../list/new-blocks.store.ts';
import type { Row } from '../row.ts';
import { readTransaction } from '../transaction.ts';

export type RecordStore = ReturnType<typeof createRecordStore>;

export interface RecordStoreOptions {
  sizes?: BlockSizes | undefined;
  /** False for demo data, which has no events. */
  writesEvents?: boolean;
}

export function createRecordStore(
  db: Database,
  { sizes = defaultBlockSizes, writesEvents = true }: RecordStoreOptions = {},
) {
  /** Writes about the same individual wait for each other. Individuals are locked in a fixed order, to avoid deadlocks. */
  async function record(rows: readonly Row[], now: Date, owner: Owner | undefined, read: ReadStored) {
    const { results, readLast } = await db.transaction(async (sql, sendLast) => {
      const { plan, counts, eventCounts, shards } = await planUnderLock(sql, rows, db.isDistributed, read);
      const events = writesEvents ? eventsOfBatch(plan, eventCounts) : [];
      const writes = await writePlan(sql, plan, { before: counts, eventCounts, events }, { sizes, now, shards });
      return { results: plan.results, readLast: sendLast(writes) };
    }, owner);
    // Only the statements that cut blocks return rows. The caller's rows are recorded, also if this fails: a block
    // without terms is counted by its texts.
    await addTerms(db, (await readLast()).flat()).catch(() => undefined);
    return results;
  }

  function recordBatch(rows: readonly Row[], now: Date, owner?: Owner): Promise<RecordPlanResult[]> {
    const recordOnce = () => record(rows, now, owner, readStored);
    return db.isDistributed ? retryLostRace(recordOnce, isLostOnCitus) : recordOnce();
  }

  return {
    recordBatch,

    /**
     * The same result for rows that are likely new, in less time: they are not looked up first. If one of them is stored
     * after all, its key is refused, nothing is written, and the batch is recorded in the usual way.
     */
    async recordNewBatch(rows: readonly Row[], now: Date, owner?: Owner): Promise<RecordPlanResult[]> {
      if (db.isDistributed || rows.length < minCopiedRows) return recordBatch(rows, now, owner);
      try {
        return await record(rows, now, owner, expectNone);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return recordBatch(rows, now, owner);
      }
    },

    /** The results that the rows would have if no earlier row of the same stream had been recorded. */
    tryBatch: (rows: readonly Row[]): Promise<RecordPlanResult[]> =>
      db.transaction(async (sql) => (await planUnderLock(sql, rows, db.isDistributed, readStored)).plan.results),
  };
}

type ReadStored = typeof readStored;

const expectNone: ReadStored = () => Promise.resolve(new Map());

interface LockedPlan {
  plan: BatchPlan;
  counts: Counts;
  eventCounts: EventCounts;
  shards: readonly (Shard | undefined)[];
}

/** One part with all individuals, if the tables are not distributed. */
const oneDatabase = [undefined];

async function planUnderLock(
  sql: DatabaseTransaction,
  rows: readonly Row[],
  isDistributed: boolean,
  read: ReadStored,
): Promise<LockedPlan> {
  const ids = [...new Set(rows.map(({ individualId }) => individualId))].sort((a, b) => a - b);
  if (isDistributed) return planByShards(sql, rows, await groupByShard(sql, ids));
  const [locked, stored] = await Promise.all([lockIndividuals(sql, ids), read(sql, rows)]);
  return planFrom(rows, locked, stored, oneDatabase);
}

/** The statements are sent in the order of the shards, each lock before the read that it protects. */
async function planByShards(sql: DatabaseTransaction, rows: readonly Row[], shards: Shard[]): Promise<LockedPlan> {
  const parts = await Promise.all(
    shards.map((shard) => {
      const own = partOf(rows, shard, ({ individualId }) => individualId);
      return Promise.all([lockInShard(sql, shard), readStoredInShard(sql, own, shard)]);
    }),
  );
  const locked = parts.flatMap(([each]) => each);
  const stored = new Map(parts.flatMap(([, each]) => [...each]));
  return planFrom(rows, locked, stored, shards);
}

function planFrom(
  rows: readonly Row[],
  locked: Awaited<ReturnType<typeof lockIndividuals>>,
  stored: Map<string, StoredRow>,
  shards: LockedPlan['shards'],
): LockedPlan {
  const counts = new Map(locked.map(({ id, transaction_count }) => [id, transaction_count]));
  const eventCounts = new Map(locked.map(({ id, transaction_event_count }) => [id, transaction_event_count]));
  return { plan: planBatch(rows, (id) => counts.has(id), stored), counts, eventCounts, shards };
}

/** The items that belong to the individuals of a shard. */
function partOf<T>(all: readonly T[], shard: Shard | undefined, idOf: (item: T) => number): readonly T[] {
  if (!shard || all.length === 0) return all;
  const ids = new Set(shard);
  return all.filter((item) => ids.has(idOf(item)));
}

/** The counters of the individuals: transactions before the batch, and events including those of the batch. */
interface Counters {
  before: Counts;
  eventCounts: EventCounts;
  events: readonly TransactionEvent[];
}

interface Writing {
  sizes: BlockSizes;
  now: Date;
  shards: LockedPlan['shards'];
}

/** Writes what must be written first, and returns the other statements. */
async function writePlan(
  sql: DatabaseTransaction,
  { created, updated, replaced }: BatchPlan,
  { before, eventCounts, events }: Counters,
  { sizes, now, shards }: Writing,
): Promise<Statement[]> {
  const after = new Map(before);
  // All rows of a commit have one number: that of its last event. Without events it does not grow.
  const commitOf = ({ individualId }: Row) => eventCounts.get(individualId)!;
  const fresh = created.map((row) => ({ row, seq: nextNumber(row.individualId, after), commit: commitOf(row) }));
  const { dense, gaps } = await placeFresh(sql, fresh, { before, after }, sizes, shards);
  const isCopied = fresh.length >= minCopiedRows;
  const copied = isCopied ? copyTransactions(sql, fresh, now) : undefined;
  // One COPY writes to several shards. Counters and events, which change with every batch, are then written for all
  // shards together too.
  const isWide = isCopied && shards.length > 1;
  // The other statements are built while the rows are being copied.
  const writes = shards.flatMap((shard) => {
    const part: Part = {
      fresh: partOf(fresh, shard, ({ row }) => row.individualId),
      updated: partOf(updated, shard, ({ to }) => to.individualId),
      replaced: partOf(replaced, shard, ({ individualId }) => individualId),
      events: partOf(events, shard, ({ individualId }) => individualId),
      dense: partOf(dense, shard, ({ individualId }) => individualId),
      gaps: partOf(gaps, shard, ({ individualId }) => individualId),
    };
    const ids = touched(part.fresh, part.events);
    const usual = [
      ...(part.fresh.length > 0 && !isCopied ? insertFew(sql, part.fresh, now, shard) : []),
      ...(ids.length > 0 && !isWide ? [writeCounts(sql, { ids, counts: after, eventCounts }, shard)] : []),
      ...(part.events.length > 0 && !isWide ? [writeEvents(sql, part.events, now, shard)] : []),
    ];
    return [
      ...(shard ? usual : asOne(sql, usual)),
      ...writeChanges(sql, part, commitOf, now, shard),
      ...writeBlocks(sql, part, { before, after }, sizes, shard),
    ];
  });
  await copied;
  if (isWide) await writeWide(sql, touched(fresh, events), { after, eventCounts, events }, now);
  return writes;
}

/** Joins statements into one: most requests record one row, so a statement is much of their work. */
function asOne(sql: DatabaseTransaction, statements: readonly Statement[]): Statement[] {
  const [first, second, third, fourth] = statements;
  if (!first || !second) return [...statements];
  if (!third) return [sql`with first as (${first}) ${second}`];
  if (!fourth) return [sql`with first as (${first}), second as (${second}) ${third}`];
  return [sql`with first as (${first}), second as (${second}), third as (${third}) ${fourth}`];
}

/** On Citus: writes counters and events of several shards with two statements, instead of two for each shard. */
async function writeWide(
  sql: DatabaseTransaction,
  ids: readonly number[],
  { after, eventCounts, events }: { after: Counts; eventCounts: EventCounts; events: readonly TransactionEvent[] },
  now: Date,
): Promise<void> {
  if (events.length > 0) await copyDistributedEvents(sql, events, now);
  await writeCounts(sql, { ids, counts: after, eventCounts }, ids).execute();
}

/** What a batch writes for the individuals of one shard, or for all. */
interface Part {
  fresh: readonly NumberedRow[];
  updated: readonly BatchPlan['updated'][number][];
  replaced: readonly BatchPlan['replaced'][number][];
  events: readonly TransactionEvent[];
  /** Where blocks are rebuilt. */
  dense: readonly ChangedTimeRange[];
  /** Of individuals whose new rows become blocks of their own. */
  gaps: readonly Gap[];
}

function writeChanges(
  sql: DatabaseTransaction,
  { updated, replaced }: Part,
  commitOf: (row: Row) => number,
  now: Date,
  shard: Shard | undefined,
): Statement[] {
  const rows = updated.map(({ to, hasNewWords }) => ({ row: to, commit: commitOf(to), hasNewWords }));
  const details = updated
    .filter(({ detailsChanged }) => detailsChanged)
    .map(({ to, seq }) => ({ individualId: to.individualId, seq, details: to.details }));
  return [
    ...(rows.length > 0 ? [updateTransactions(sql, rows, shard)] : []),
    ...changeDetails(sql, details, shard),
    ...(replaced.length > 0 ? [keepReplaced(sql, replaced, now, shard)] : []),
  ];
}

function nextNumber(individualId: number, counts: Counts): number {
  const number = counts.get(individualId)! + 1;
  counts.set(individualId, number);
  return number;
}

/** The individuals whose counters have changed. */
function touched(fresh: readonly NumberedRow[], events: readonly TransactionEvent[]): number[] {
  return [...new Set([...fresh.map(({ row }) => row.individualId), ...events.map(({ individualId }) => individualId)])];
}

interface BeforeAndAfter {
  before: Counts;
  after: Counts;
}

/** Writes nothing for individuals that are small before and after the batch. */
function writeBlocks(
  sql: DatabaseTransaction,
  { fresh: created, updated, dense, gaps }: Part,
  { before, after }: BeforeAndAfter,
  sizes: BlockSizes,
  shard: Shard | undefined,
): Statement[] {
  const isLarge = (counts: Counts, id: number) => counts.get(id)! > sizes.blocksAbove;
  const ids = new Set(
    [...created.map(({ row }) => row), ...updated.map(({ to }) => to)].map(({ individualId }) => individualId),
  );
  const large = [...ids].filter((id) => isLarge(after, id));
  if (large.length === 0) return [];
  const grown = large.filter((id) => !isLarge(before, id));
  const remade = new Set([...dense, ...gaps].map(({ individualId }) => individualId));
  const added = created.filter(({ row }) => isLarge(before, row.individualId) && !remade.has(row.individualId));
  const changed = updated
    .filter(({ to, bodyChanged }) => bodyChanged && isLarge(before, to.individualId))
    .map((change) => ({ ...change, after: readTransaction(change.to.individualId, change.to.body) }));
  const isMoved = ({ from, to }: ChangedRow) => from.timeStamp !== to.timeStamp || from.amount !== to.amount;
  const moved = changed
    .filter(isMoved)
    .flatMap(({ from, to }) => [from, to])
    .map(({ individualId, timeStamp }) => ({ individualId, first: timeStamp, last: timeStamp, rows: 1 }));
  const changedInPlace = changed.filter((row) => !isMoved(row));
  const version = String(randomInt(maxVersion));
  const newBlocks = gaps.flatMap((gap) => {
    const { individualId } = gap;
    const rows = created.filter(({ row }) => row.individualId === individualId);
    return makeNewBlocks(gap, rows, blockSizeOf(after.get(individualId)!, sizes));
  });
  return [
    ...(grown.length > 0 ? [makeBlocks(sql, grown, version)] : []),
    ...(gaps.length > 0 ? insertNewBlocks(sql, gaps, newBlocks, version, shard) : []),
    ...(added.length + changedInPlace.length > 0
      ? [addToBlocks(sql, added, changedInPlace, sizes, version, shard)]
      : []),
    cutBlocks(sql, large, [...moved, ...dense], sizes, version, shard),
  ];
}

/** The largest range that randomInt supports. */
const maxVersion = 2 ** 48 - 1;

/**
 * The large individuals that have many new rows: the time ranges in which their blocks are rebuilt, or the gaps where
 * the new rows become blocks of their own.
 */
async function placeFresh(
  sql: DatabaseTransaction,
  created: readonly NumberedRow[],
  { before, after }: BeforeAndAfter,
  sizes: BlockSizes,
  shards: LockedPlan['shards'],
): Promise<{ dense: ChangedTimeRange[]; gaps: Gap[] }> {
  const many = rangesOf(created.filter(({ row }) => before.get(row.individualId)! > sizes.blocksAbove)).filter(
    ({ rows }) => rows >= sizes.leastBlock / 4,
  );
  if (many.length === 0) return { dense: [], gaps: [] };
  const placed = await Promise.all(
    shards.map((shard) =>
      placeRanges(
        sql,
        partOf(many, shard, ({ individualId }) => individualId),
        shard,
      ),
    ),
  );
  const places = new Map(placed.flatMap((each) => [...each]));
  const gapOf = ({ individualId, rows }: ChangedTimeRange) =>
    rows >= blockSizeOf(after.get(individualId)!, sizes) ? places.get(individualId)?.gap : undefined;
  return {
    dense: many.filter((range) => !gapOf(range) && places.get(range.individualId)?.isDense),
    gaps: many.flatMap((range) => gapOf(range) ?? []),
  };
}

/** The time range of the rows of each individual. */
function rangesOf(created: readonly NumberedRow[]): ChangedTimeRange[] {
  const ranges = new Map<number, ChangedTimeRange>();
  for (const {
    row: { individualId, timeStamp },
  } of created) {
    const known = ranges.get(individualId);
    if (!known) ranges.set(individualId, { individualId, first: timeStamp, last: timeStamp, rows: 1 });
    else {
      known.rows += 1;
      if (timeStamp < known.first) known.first = timeStamp;
      if (timeStamp > known.last) known.last = timeStamp;
    }
  }
  return [...ranges.values()];
}
