import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readJson, type Kept } from '../../src/formats/json-reader.ts';
import { JsonObject, MalformedJson, writeJson, type Json } from '../../src/formats/json.ts';
import { readLargeJson } from '../../src/formats/large-json.ts';
import { sized } from '../harness/size.ts';

const everything = { maxValues: Infinity };

/** Long and short tokens, so that some of them lie across the ends of parts and of steps. */
const length = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 60_000, max: 131_000 }));
const token = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'é', '😀', '\\n', '\\u00e9', '\\"'), length)
    .map(([part, count]) => `"${part.repeat(count)}"`),
  length.map((count) => `-1${'2'.repeat(count / 2)}.5${'0'.repeat(count / 2)}e-7`),
  length.map((count) => `{"a":${' '.repeat(count)}[true,\n{}],"${'b'.repeat(count)}":null}`),
  length.map((count) => `[${'0,'.repeat(count / 8)}${'\n'.repeat(count)}0]`),
);
const texts = fc.array(token, { minLength: 5, maxLength: 20 }).map((tokens) => `[${tokens.join(',')}]`);

/** A character that no JSON has, or a token that is too long. */
const breaks = fc.oneof(
  fc.constant((text: string, at: number) => `${text.slice(0, at)}\u0001${text.slice(at + 1)}`),
  fc
    .constantFrom('1'.repeat(131_073), `0.${'1'.repeat(131_073)}`, `{"${'a'.repeat(131_073)}":0}`)
    .map((tooLong) => (text: string) => `${text.slice(0, -1)},${tooLong}]`),
);

/** In chunks of this many bytes, which may cut a character. */
function readInChunks(text: string, size: number, kept: Kept = everything): Promise<Json | MalformedJson> {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const decoder = new TextDecoder();
  return readLargeJson(chunks, (chunk) => decoder.decode(chunk, { stream: chunk !== undefined }), kept);
}

const shown = (json: Json | MalformedJson) => (json instanceof MalformedJson ? json.message : writeJson(json));

it('a text read in parts and steps has the value, or the error and its position, of the whole text', async () => {
  const chunkSize = fc.integer({ min: 1000, max: 700_000 });
  const brokenAt = fc.integer({ min: 0, max: 999 });
  await fc.assert(
    fc.asyncProperty(texts, chunkSize, breaks, brokenAt, async (text, size, breakText, thousandths) => {
      const whole = readJson(text);
      expect(whole).not.toBeInstanceOf(MalformedJson);
      expect(shown(await readInChunks(text, size)) === shown(whole)).toBe(true);

      const malformed = breakText(text, Math.floor((text.length * thousandths) / 1000));
      const error = readJson(malformed);
      expect(error).toBeInstanceOf(MalformedJson);
      expect(shown(await readInChunks(malformed, size))).toBe(shown(error));
    }),
    { numRuns: sized(12, 40) },
  );
});

it('keeps the values in memory, and not the text around them', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const usedBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const rows = Array.from(
    { length: 500 },
    (_, number) => `{"id":"transaction number ${number}","${'y'.repeat(8000)}":0}`,
  );
  const text = `{"rows":[${rows.join(',')}]}`;
  const kept = { members: new Map([['rows', { items: { members: new Map([['id', { maxValues: 1 }]]) } }]]) };
  const before = usedBytes();
  const json = await readInChunks(text, 65_536, kept);
  expect(usedBytes() - before).toBeLessThan(text.length / 2);
  expect(shown(json)).toContain('transaction number 499');
});

it('counts the lines before an error in a text of any length', async () => {
  const text = `[${'0,\n'.repeat(1_000_000)} x]`;
  expect(shown(await readInChunks(text, 65_536))).toContain('LineNumber: 1000000 | BytePositionInLine: 1.');
});

it('counts the bytes before an error, wherever a long string of surrogate pairs is cut', async () => {
  for (const start of ['["', '[ "']) {
    const text = `${start}${'😀'.repeat(500_000)}" x]`;
    expect(shown(await readInChunks(text, 65_536))).toBe(shown(readJson(text)));
  }
});

it('keeps no string that is too long for every field, however many parts it comes in', async () => {
  const text = `{"note":"${'x'.repeat(3_000_000)}","amount":1}`;
  const json = (await readInChunks(text, 65_536)) as JsonObject;
  expect(json.names).toEqual(['note', 'amount']);
  expect((json.values[0] as string).length).toBeLessThan(140_000);
  expect(json.values[1]).toMatchObject({ text: '1' });
});
