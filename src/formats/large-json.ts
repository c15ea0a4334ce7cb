/** Reads a large JSON text in steps. Other requests are served between two steps. */
import { setImmediate } from 'node:timers/promises';
import { JsonReader, type Kept } from './json-reader.ts';
import { longestToken } from './json-tokens.ts';
import type { Json, MalformedJson } from './json.ts';

/** The text that one step reads. Dense JSON takes about 50 ns for each character. */
const stepCharacters = 64 * 1024;

/** Texts up to this size are read in one step. */
export const largestInOneGo = stepCharacters;

/** The bytes that are decoded and added in one step. Decoding takes up to 20 ns for each byte. */
const stepBytes = 256 * 1024;

/** A step may read this far past its end: the longest number has three parts of digits. */
const longestRest = 4 * longestToken;

/**
 * The text is never in memory as a whole, since joining its parts would take as long as many steps. `decode` throws if
 * the bytes are not text; it is called without a chunk at the end.
 */
export async function readLargeJson(
  chunks: Iterable<Buffer>,
  decode: (chunk?: Buffer) => string,
  kept: Kept,
): Promise<Json | MalformedJson> {
  const reader = new JsonReader('', kept);
  let text = '';
  let bytes = 0;
  for (const chunk of chunks) {
    text += decode(chunk);
    bytes += chunk.length;
    // Each time the rest is copied, so it is not done for every small chunk.
    if (bytes < stepBytes) continue;
    reader.append(text);
    text = '';
    bytes = 0;
    await setImmediate();
    while (reader.unread > longestRest + stepCharacters) {
      if (reader.advance(stepCharacters)) return reader.result!;
      await setImmediate();
    }
  }
  reader.append(text + decode());
  while (!reader.advance(reader.unread > stepCharacters ? stepCharacters : Infinity)) await setImmediate();
  return reader.result!;
}
