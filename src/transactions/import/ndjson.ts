/** Rows from lines of JSON. */
import { readJson } from '../../formats/json-reader.ts';
import { MalformedJson, type Json } from '../../formats/json.ts';
import { readLines, type Line } from '../../formats/lines.ts';
import type { IncomingRow } from '../record/ingest.ts';
import { claimedKey, readRow } from '../row.ts';

export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<IncomingRow[]> {
  for await (const lines of readLines(chunks)) yield lines.map(toRow);
}

function toRow({ lineNumber, text, problem }: Line): IncomingRow {
  if (text === undefined) return unreadable(lineNumber, problem!);
  const json = readJson(text);
  return json instanceof MalformedJson ? unreadable(lineNumber, json.message) : incoming(lineNumber, json);
}

export function incoming(line: number, json: Json): IncomingRow {
  const reading = readRow(json, '$');
  return 'errors' in reading ? { line, reading, claims: claimedKey(json) } : { line, reading };
}

/** A row that could not be parsed at all. */
export function unreadable(line: number, why: string): IncomingRow {
  return { line, reading: { errors: { $: [why] } }, claims: { transactionId: null, individualId: null } };
}
