/** Finds a page in blocks of which each knows how many of its rows match. */

export interface CountedBlock {
  startTime: string;
  /** Null where only a part of the block belongs to the list: such a count is good for this list alone. */
  version: string | null;
  /** All rows of the block. */
  rowCount: number;
  /** Those that match; undefined before they are counted. */
  rows: number | undefined;
  /** The keys of those that match, newest first, where they are few. */
  keys?: RowKey[] | undefined;
}

/** The time and the id of a row. */
export type RowKey = [timeStamp: string, transactionId: string];

export interface PagePlace<Block extends CountedBlock = CountedBlock> {
  /** All rows that match. */
  count: number;
  /** How many of the first block's rows that match lie before the page. */
  skip: number;
  /** The blocks that hold rows of the page, newest first. */
  blocks: Block[];
}

/** `blocks` are in the order of the list, and all of them are counted. */
export function findPlaces<Block extends CountedBlock>(
  blocks: readonly Block[],
  offset: number,
  size: number,
): PagePlace<Block> {
  const found: Block[] = [];
  let count = 0;
  let skip = 0;
  for (const block of blocks) {
    const { rows = 0 } = block;
    if (rows > 0 && count + rows > offset && count < offset + size) {
      if (found.length === 0) skip = offset - count;
      found.push(block);
    }
    count += rows;
  }
  return { count, skip, blocks: found };
}

/** Blocks in slices of about so many rows. */
export function makeSlices(blocks: readonly CountedBlock[], rowsPerSlice: number): CountedBlock[][] {
  const slices: CountedBlock[][] = [];
  let rowsLeft = 0;
  for (const block of blocks) {
    if (rowsLeft <= 0) {
      slices.push([]);
      rowsLeft = rowsPerSlice;
    }
    slices.at(-1)!.push(block);
    rowsLeft -= block.rowCount;
  }
  return slices;
}
