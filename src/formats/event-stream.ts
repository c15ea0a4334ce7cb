/** Server-Sent Events on the wire (HTML standard, section 9.2). */
export interface StreamMessage {
  event: string;
  id?: string;
  /** One line. */
  data: string;
}

export const eventStreamType = 'text/event-stream';

export function writeStreamMessage({ event, id, data }: StreamMessage): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}

/** How long a reader waits before it connects again. */
export function writeStreamRetry(milliseconds: number): string {
  return `retry: ${Math.round(milliseconds)}\n`;
}

/** Keeps proxies from closing a stream on which nothing happens. */
export const streamComment = ': still here\n\n';
