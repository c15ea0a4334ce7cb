/**
 * A list by time only, for distributed tables. Citus plans `timeListStatement` on the coordinator and again on the
 * worker, for each request, which takes longer than everything else in the request. So the same is done in steps. Each
 * step is a short statement about one table by its key, for which Citus has a fast path. The first four parameters are
 * those of `rangeParameters`.
 */
import type { Database, DatabaseRow, ReadStatement } from '../../db/database.ts';
import { rangeParameters, type BlockQuery, type ListRow } from './block-list.store.ts';
import { findPlaces, type CountedBlock, type PagePlace } from './block-places.ts';

const userStatement = `
select transaction_count as total, transaction_event_count as version from users where id = $1`;

const time = (parameter: string) => `${parameter}::text::timestamptz`;

/** Newest first, each limited to the filter's time range. */
const blocksStatement = `
select greatest(start_time, ${time('$3')})::text as lower, least(end_time, ${time('$4')})::text as upper, row_count,
  last_seq > $2 or start_time < ${time('$3')} or end_time > ${time('$4')} as is_cut
from transaction_blocks
where individual_id = $1 and start_time < ${time('$4')} and end_time > ${time('$3')}
order by start_time desc`;

const isListed = `
individual_id = $1 and seq <= $2 and time_stamp >= ${time('$3')} and time_stamp < ${time('$4')}`;

const countStatement = `select count(*)::int as rows from transactions where ${isListed}`;

const pageStatement = (order: 'asc' | 'desc') => `
select body from transactions where ${isListed}
order by time_stamp ${order}, transaction_id ${order} limit $5 offset $6::bigint`;

/** Rows that arrived after the list was pinned may lie in any block, and then that block is cut. */
const maxCutBlocks = 8;

interface TimedBlock extends CountedBlock {
  lower: string;
  upper: string;
}

/** Returns undefined if too many rows would have to be counted, or if the individual does not exist. */
export function createStepwiseList(db: Database) {
  return (query: BlockQuery): Promise<ListRow | undefined> =>
    db.snapshot(async (read) => {
      const range = rangeParameters(query);
      const [[user], found] = await Promise.all([read(userStatement, range.slice(0, 1)), read(blocksStatement, range)]);
      const blocks = found.map(readBlock);
      if (!user || blocks.filter(({ rows }) => rows === undefined).length > maxCutBlocks) return undefined;
      await countCut(read, query, blocks);
      const place = findPlaces(blocks, query.offset, query.size);
      return { total: user.total, version: user.version, count: place.count, page: await readPage(read, query, place) };
    }, query.owner);
}

const readBlock = ({ lower, upper, row_count, is_cut }: DatabaseRow): TimedBlock => ({
  lower,
  upper,
  startTime: lower,
  version: null,
  rowCount: row_count,
  rows: is_cut ? undefined : row_count,
});

async function countCut(read: ReadStatement, query: BlockQuery, blocks: readonly TimedBlock[]): Promise<void> {
  const cut = blocks.filter(({ rows }) => rows === undefined);
  await Promise.all(
    cut.map(async (block) => {
      const [counted] = await read(countStatement, [query.individualId, query.upTo, block.lower, block.upper]);
      block.rows = counted!.rows;
    }),
  );
}

/** Reads from the nearer end of the blocks that contain the page. */
async function readPage(
  read: ReadStatement,
  { individualId, upTo, size }: BlockQuery,
  { blocks, skip }: PagePlace<TimedBlock>,
): Promise<string | null> {
  if (blocks.length === 0) return null;
  const rows = blocks.reduce((sum, block) => sum + block.rows!, 0);
  const length = Math.min(size, rows - skip);
  const behind = rows - skip - length;
  const isNearerToOldest = behind < skip;
  const found = await read(pageStatement(isNearerToOldest ? 'asc' : 'desc'), [
    ...[individualId, upTo, blocks.at(-1)!.lower, blocks[0]!.upper],
    ...[length, isNearerToOldest ? behind : skip],
  ]);
  const bodies = found.map(({ body }) => String(body));
  return (isNearerToOldest ? bodies.toReversed() : bodies).join(',');
}
