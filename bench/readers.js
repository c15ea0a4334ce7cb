/** Our JSON reader and shapes beside JSON.parse, a lossless reader from npm and a validator from npm. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse as parseLossless } from 'lossless-json';
import { readJson } from '../dist/formats/json-reader.js';
import { readRow, rowSchema } from '../dist/transactions/row.js';
import { ndjsonRow, randomSource, ratio, round } from './harness.js';

const rowCount = 1000;
const rounds = 7;

/** Microseconds a row, the best of several rounds. */
function microsecondsEach(work) {
  let best = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    for (let time = 0; time < 20; time += 1) work();
    best = Math.min(best, performance.now() - begun);
  }
  return (best * 1000) / (20 * rowCount);
}

export async function benchReaders() {
  const random = randomSource(11);
  const lines = Array.from({ length: rowCount }, (_, number) => ndjsonRow(random, 1, number, 1_700_000_000_000));
  const text = `[${lines.join(',')}]`;
  const ours = readJson(text);
  const plain = JSON.parse(text);
  const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(rowSchema);
  const parsing = {
    ours: microsecondsEach(() => readJson(text)),
    plain: microsecondsEach(() => JSON.parse(text)),
    lossless: microsecondsEach(() => parseLossless(text)),
  };
  const checking = {
    ours: microsecondsEach(() => ours.forEach((row) => readRow(row, '$'))),
    ajv: microsecondsEach(() => plain.forEach((row) => validate(row))),
  };
  const row = (what, microseconds) => ({ what, microseconds: round(microseconds, 2) });
  return {
    title: 'Reading and checking a row of a record request, one core',
    columns: { microseconds: 'µs a row' },
    rows: [
      row('JSON: our reader, digits kept, sentences of .NET', parsing.ours),
      row('JSON.parse, which rounds amounts', parsing.plain),
      row('lossless-json, digits kept', parsing.lossless),
      row('checking: our shapes, with parsed amount, instant and search text', checking.ours),
      row('checking: ajv, types and patterns alone', checking.ajv),
    ],
    goals: [
      { what: 'our JSON reader: times faster than lossless-json', is: ratio(parsing.lossless, parsing.ours), least: 2 },
    ],
  };
}
