/** Reads a large JSON text in steps. Other requests are served between two steps. */
import { setImmediate } from 'node:timers/promises';
import type { TextDecoder } from 'node:util';
import { JsonReader, type Kept } from './json-reader.ts';
import type { Json, MalformedJson } from './json.ts';

/** The text that one step reads. Dense JSON takes about 50 ns for each character. */
const stepCharacters = 64 * 1024;

/** Decoding takes up to 20 ns for each byte. */
const stepBytes = 256 * 1024;

/** Texts up to this size are read in one step. */
export const largestInOneGo = stepCharacters;

export async function readLargeJson(text: string, kept: Kept): Promise<Json | MalformedJson> {
  const reader = new JsonReader(text, kept);
  for (let position = stepCharacters; ; position += stepCharacters) {
    if (reader.advance(position < text.length ? position : Infinity)) return reader.result!;
    await setImmediate();
  }
}

/** Throws a TypeError if the decoder is fatal and the bytes are not valid in its encoding. */
export async function decodeLarge(chunks: readonly Buffer[], decoder: TextDecoder): Promise<string> {
  let text = '';
  let decodedBytes = 0;
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    decodedBytes += chunk.length;
    if (decodedBytes < stepBytes) continue;
    decodedBytes = 0;
    await setImmediate();
  }
  return text + decoder.decode();
}
