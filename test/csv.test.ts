import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsvRecords, type CsvRecord } from '../src/formats/csv.ts';

async function read(text: string, size = 7, dialect = { delimiter: ',', quote: '"' }): Promise<CsvRecord[]> {
  async function* parts() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
  }
  const records: CsvRecord[] = [];
  for await (const some of readCsvRecords(parts(), dialect)) records.push(...some);
  return records;
}

describe('CSV', () => {
  it('gives back any cells that were written, in any pieces', async () => {
    const cell = fc.oneof(fc.string({ maxLength: 8 }), fc.stringMatching(/^[",\n\r;x ]{0,6}$/));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('\n', '\r\n'),
        async (rows, size, newline) => {
          const text = rows
            .map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
            .join(newline);
          const records = await read(text, size);
          expect(records.map(({ cells }) => cells)).toEqual(rows);
        },
      ),
    );
  });

  it('knows the line each record begins on, and leaves empty lines out', async () => {
    const records = await read('a,b\n\n"x\ny",2\r\n3,4\n');
    expect(records).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 3, cells: ['x\ny', '2'] },
      { line: 5, cells: ['3', '4'] },
    ]);
  });

  it('takes other delimiters and quotes, longer ones too, and none', async () => {
    expect((await read("'a;b';c", 3, { delimiter: ';', quote: "'" }))[0]!.cells).toEqual(['a;b', 'c']);
    expect((await read('a||b', 3, { delimiter: '||', quote: '"' }))[0]!.cells).toEqual(['a', 'b']);
    expect((await read('"a",b', 3, { delimiter: ',', quote: '' }))[0]!.cells).toEqual(['"a"', 'b']);
  });

  it('never loses a line to what is broken in another', async () => {
    const records = await read('1,2\n"x"y,3\n4,5\n"open,6\n7,8');
    expect(records).toEqual([
      { line: 1, cells: ['1', '2'] },
      { line: 2, problem: 'There is text behind the closing quote of column 1.' },
      { line: 3, cells: ['4', '5'] },
      { line: 4, problem: 'A quote is opened here and never closed.' },
      { line: 5, cells: ['7', '8'] },
    ]);
  });
});
