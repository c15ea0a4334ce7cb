import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutFormulas, writeCsvRecord } from '../../src/formats/csv-writer.ts';
import { readCsvRecords, type CsvRecord } from '../../src/formats/csv.ts';

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

describe('CSV that is written', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.stringMatching(/^[",;|\t\n\r\v =+@x\-＝＋－＠'\u2028\u0085]{0,8}$/),
  );

  it('is read back by another program, and by our own reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async (rows) => {
          const file = rows.map(writeCsvRecord).join('');
          expect(parse(file, { relax_column_count: true, record_delimiter: '\r\n' })).toEqual(rows);
          const records = await read(file);
          // A line of nothing but white space and commas is no record to us.
          const kept = rows.filter((cells) => writeCsvRecord(cells).trim() !== '');
          expect(records.map(({ cells }) => cells)).toEqual(kept);
        },
      ),
    );
  });

  it('starts no formula wherever a spreadsheet splits it', () => {
    const splitters = [/,/, /;/, /\t/, /\|/, /[\r\n\v\f\u0085\u2028\u2029]/, /[,;\t|\r\n\v\f\u0085\u2028\u2029]/];
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
        const line = writeCsvRecord(cells.map(withoutFormulas));
        for (const splitter of splitters) {
          for (const piece of line.split(splitter)) {
            expect(piece.replace(/^["\s]+/, '')).not.toMatch(/^[=+\-@＝＋－＠]/);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads a long run of white space once, and not again from each of its places', () => {
    const lines = '\n'.repeat(400_000);
    expect(withoutFormulas(`${lines}x-1`)).toBe(`'${lines}x-1`);
    expect(withoutFormulas(`x${lines}-1`)).toBe(`x${lines}'-1`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['thanks;=1+1;', "thanks;'=1+1;"],
    ['＝1+1', "'＝1+1"],
    ['a\n-2', "a\n'-2"],
    ['a\t@x', "a\t'@x"],
    ['a|+1', "a|'+1"],
    ['a;"=1"', 'a;"\'=1"'],
    ['\tT', "'\tT"],
    ['\rR', "'\rR"],
    ['t-1', 't-1'],
    ['2 + 2 = 4; mail me@example.org', '2 + 2 = 4; mail me@example.org'],
  ])('turns %j into %j', (given, safe) => {
    expect(withoutFormulas(given)).toBe(safe);
  });
});
