/** Finds a page in blocks whose numbers of matching rows are known. */

export interface CountedBlock {
  startTime: string;
  /** Null if only a part of the block belongs to the list: such a count is valid for this list only. */
  version: string | null;
  /** All rows of the block. */
  rowCount: number;
  /** The number of rows that match; undefined before they are counted. */
  rows: number | undefined;
  /** The keys of the rows that match, newest first, if there are only a few. */
  keys?: RowKey[] | undefined;
}

/** The time and the id of a row. */
export type RowKey = [timeStamp: string, transactionId: string];

export interface PagePlace<Block extends CountedBlock = CountedBlock> {
  /** All rows that match. */
  count: number;
  /** The number of matching rows in the first block that come before the page. */
  skip: number;
  /** The blocks that contain rows of the page, newest first. */
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

/** Groups blocks into slices of about `rowsPerSlice` rows. */
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
