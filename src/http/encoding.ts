/** Compressed answers, for callers that accept them. */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type ContentEncoding = 'br' | 'gzip';

/** RFC 9110 section 12.5.3; `q=0` refuses an encoding. */
export function acceptsEncoding(headers: IncomingHttpHeaders, encoding: ContentEncoding): boolean {
  return (acceptedWeight(headers['accept-encoding'] ?? '', encoding) ?? 0) > 0;
}

/** The weight of a value in a header such as Accept (RFC 9110 section 12.4.2). Undefined if the header does not name it. */
export function acceptedWeight(header: string, value: string): number | undefined {
  const ranges = header.split(',').map((part) => part.split(';').map((piece) => piece.trim().toLowerCase()));
  const named = ranges.find(([name]) => name === value);
  const quality = named?.find((piece) => piece.startsWith('q='));
  return named && (quality === undefined ? 1 : Number(quality.slice(2)) || 0);
}

/** For a file that is sent many times: at a quality that takes a few milliseconds for a page. */
export function compressFile(plain: Buffer, encoding: ContentEncoding): Promise<Buffer> {
  return encoding === 'br'
    ? promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
    : promisify(gzip)(plain, { level: 9 });
}

/**
 * A shorter answer fits into a few packets, so that compressing it would cost more than it saves. A page of 20 rows is far
 * below it.
 */
export const compressedFromBytes = 32 * 1024;

/** For an answer that is sent once: at the cheapest level, in another thread. */
export function compressAnswer(body: string | Buffer): Promise<Buffer> {
  return promisify(gzip)(body, { level: 1 });
}
