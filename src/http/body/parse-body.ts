/** Reads the JSON of a request from its bytes. */
import { TextDecoder } from 'node:util';
import { bodyNotJson, unsupportedMediaType } from '../../errors.ts';
import { readJson, type Kept } from '../../formats/json-reader.ts';
import { MalformedJson, type Json } from '../../formats/json.ts';
import { readLargeJson } from '../../formats/large-json.ts';

interface MediaType {
  /** In lower case, without parameters. */
  name: string;
  charset: string;
}

/** Of the headers that most clients send: reading one takes a microsecond, and a request needs it several times. */
const usualTypes = new Map(
  ['application/json', 'application/json; charset=utf-8'].map((header) => [header, parseMediaType(header)]),
);

export function mediaTypeOf(header: string | undefined): MediaType | undefined {
  return header === undefined ? undefined : (usualTypes.get(header) ?? parseMediaType(header));
}

function parseMediaType(header: string): MediaType | undefined {
  const [name = '', ...parameters] = header.split(';');
  if (!/^\s*[\w.+-]+\/[\w.+-]+\s*$/.test(name)) return undefined;
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([\w-]+)"?\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  return { name: name.trim().toLowerCase(), charset: charset ?? 'utf-8' };
}

export function isJson({ name }: MediaType): boolean {
  return name === 'application/json' || name === 'text/json' || name.endsWith('+json');
}

function decoderFor({ charset }: MediaType): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw unsupportedMediaType();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The JSON of a body that is small enough to be parsed in one step. Undefined for an empty body. */
export function parseBody(bytes: Buffer | undefined, contentType: string | undefined): Json | undefined {
  if (!bytes || bytes.length === 0) return undefined;
  const type = jsonTypeOf(contentType);
  const decoder = type.charset.toLowerCase() === 'utf-8' ? utf8 : decoderFor(type);
  return orMalformed(readJson(orUndecodable(() => decoder.decode(bytes))));
}

/** The JSON of a large body, read in steps. Only the parts that `kept` names become values. */
export async function parseLargeBody(
  chunks: readonly Buffer[],
  contentType: string | undefined,
  kept: Kept,
): Promise<Json> {
  const decoder = decoderFor(jsonTypeOf(contentType));
  const decode = (chunk?: Buffer) => orUndecodable(() => decoder.decode(chunk, { stream: chunk !== undefined }));
  return orMalformed(await readLargeJson(chunks, decode, kept));
}

function jsonTypeOf(contentType: string | undefined): MediaType {
  const type = mediaTypeOf(contentType);
  if (!type || !isJson(type)) throw unsupportedMediaType();
  return type;
}

function orMalformed(json: Json | MalformedJson): Json {
  if (json instanceof MalformedJson) throw bodyNotJson(json.message);
  return json;
}

function orUndecodable(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw bodyNotJson('The JSON payload is not valid text in its encoding.');
  }
}
