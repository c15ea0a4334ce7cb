/**
 * Corrects the messages for the driver (postgres.js 3.4.9). The driver counts the rows of a result, and if an error or
 * the end of the session interrupts the result, it continues this count in the next one: that result would begin with
 * as many empty elements. So in this case the driver gets the message that ends a result, although PostgreSQL has not
 * sent it.
 */
import type { Socket } from 'node:net';

// oxlint-disable-next-line no-explicit-any -- as node:events declares it
export type Listener = (...args: any[]) => void;

/** Message types of PostgreSQL's protocol: DataRow, CommandComplete, ErrorResponse. */
const dataRow = 68;
const complete = 67;
const refused = 69;
const headBytes = 5;

const completeMessage = Buffer.from('C\0\0\0\rSELECT 0\0', 'latin1');

/** The listeners of the driver (one for each connection) whose session ended in the middle of a result. */
const unfinished = new WeakSet<Listener>();

/** Must be called before the driver gets the first message of a new session. */
export function forgetRows(driver: Listener): void {
  if (unfinished.delete(driver)) driver(completeMessage);
}

/**
 * Whether a prepared statement no longer fits the schema, or no longer exists. The driver would prepare it again while
 * it sends other statements, and mix up their results. So the session ends instead, and the next one prepares all
 * statements again. After `sendLast`, the driver would even run the statement after the COMMIT.
 */
function isOutdated(error: Buffer): boolean {
  return outdatedRoutines.some((routine) => error.includes(routine));
}

/** The field "R" of an error: the function of PostgreSQL that raised it. */
const outdatedRoutines = ['FetchPreparedStatement', 'RevalidateCachedQuery', 'transformAssignedExpr'].map((name) =>
  Buffer.from(`R${name}\0`),
);

/**
 * Passes everything on to the driver, and reads the type of each message. (The driver's own cursors would answer the
 * additional message with a Sync, but they are not used.)
 */
export function watchRows(socket: Socket, driver: Listener): Listener {
  /** The start of a message whose length is not known yet. */
  let head: Buffer = Buffer.alloc(0);
  /** The number of bytes of the last message that are still missing, and its type. */
  let missing = 0;
  let lastType: number | undefined;
  let hasRows = false;

  // Before the driver hears of it.
  socket.prependOnceListener('close', () => {
    if (hasRows || (missing > 0 && lastType === complete)) unfinished.add(driver);
  });

  function listener(received: Buffer): void {
    const chunk = head.length > 0 ? Buffer.concat([head, received]) : received;
    let passed = 0;
    let at = missing;
    while (at + headBytes <= chunk.length) {
      const type = chunk[at];
      const next = at + chunk.readUInt32BE(at + 1) + 1;
      if (type === refused) {
        if (next > chunk.length) break;
        driver(chunk.subarray(passed, at));
        passed = at;
        if (isOutdated(chunk.subarray(at, next))) return void socket.destroy();
        if (hasRows) driver(completeMessage);
      }
      if (type === dataRow) hasRows = true;
      else if (type === complete || type === refused) hasRows = false;
      lastType = type;
      at = next;
    }
    const end = Math.min(at, chunk.length);
    head = chunk.subarray(end);
    missing = at - end;
    if (end > passed) driver(chunk.subarray(passed, end));
  }

  // So that the driver can remove its listener.
  return Object.assign(listener, { listener: driver });
}
