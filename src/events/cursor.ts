/**
 * The cursor of the event log: a position, the generation of the log it belongs to, and the time that decides when it
 * expires. Opaque to callers. It is not signed: a caller that may use it may read every event anyway.
 */
import { hash } from 'node:crypto';

export interface Cursor {
  generation: string;
  position: number;
  /** The time of the event at the position; for a cursor at the end of the log, the time when the cursor was issued. */
  at: Date;
}

const version = 1;
const generationBytes = 16;
const contentBytes = 1 + generationBytes + 6 + 6;
const checksumBytes = 3;

function checksumOf(content: Buffer): Buffer {
  return hash('sha256', content, 'buffer').subarray(0, checksumBytes);
}

export function writeCursor({ generation, position, at }: Cursor): string {
  const content = Buffer.alloc(contentBytes);
  content[0] = version;
  content.set(Buffer.from(generation.replaceAll('-', ''), 'hex'), 1);
  content.writeUIntBE(position, 1 + generationBytes, 6);
  content.writeUIntBE(at.getTime(), 1 + generationBytes + 6, 6);
  return Buffer.concat([content, checksumOf(content)]).toString('base64url');
}

/** Undefined if the text is not a cursor. */
export function readCursor(text: string): Cursor | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const content = bytes.subarray(0, contentBytes);
  const isWhole = bytes.length === contentBytes + checksumBytes && bytes.toString('base64url') === text;
  if (!isWhole || content[0] !== version || !checksumOf(content).equals(bytes.subarray(contentBytes))) return undefined;
  const hex = content.subarray(1, 1 + generationBytes).toString('hex');
  return {
    generation: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    position: content.readUIntBE(1 + generationBytes, 6),
    at: new Date(content.readUIntBE(1 + generationBytes + 6, 6)),
  };
}
