/**
 * Prepares each new session before the driver uses it. Settings in the startup packet would do for PostgreSQL itself;
 * a pgbouncer in front of it refuses them or, if told to ignore them, drops them without a word.
 */
import type { Socket } from 'node:net';
import { forgetRows, watchRows, type Listener } from './result-rows.ts';
import { failure } from './socket.ts';

/** Message types of PostgreSQL's protocol: BackendKeyData, ReadyForQuery, CommandComplete, ErrorResponse. */
const keyData = 75;
const ready = 90;
const complete = 67;
const refused = 69;
const headBytes = 5;
/** The code of a connection that only asks to cancel a statement of another, and is closed without an answer. */
const cancelRequest = 80_877_102;

/** When the login is done, `statements` are run, and only then does the driver learn that the session is ready. */
export function prepareSession(socket: Socket, statements: string, onLogin: (processId: number) => void): void {
  let isPreparing = false;
  let isPrepared = false;
  let wasRefused = false;
  let isCancel = false;
  let rest: Buffer = Buffer.alloc(0);

  function filter(driver: Listener) {
    return function gate(chunk: Buffer): void {
      rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      while (rest.length >= headBytes) {
        const length = rest.readUInt32BE(1) + 1;
        if (rest.length < length) return;
        const message = rest.subarray(0, length);
        rest = rest.subarray(length);
        if (message[0] === keyData) onLogin(message.readUInt32BE(headBytes));
        if (isForDriver(message[0]!)) driver(message);
        if (wasRefused) return void socket.destroy();
        if (!isPrepared) continue;
        socket.removeListener('data', gate);
        const watching = watchRows(socket, driver);
        socket.on('data', watching);
        if (rest.length > 0) watching(rest);
        return;
      }
    };
  }

  function isForDriver(type: number): boolean {
    if (type === ready && !isPreparing) {
      isPreparing = true;
      socket.write(query(statements));
      return false;
    }
    if (type === ready) isPrepared = true;
    // The driver takes it for the error of whatever was to be run first.
    wasRefused = type === refused && isPreparing;
    return !(type === complete && isPreparing);
  }

  // The driver takes a session that ends during the login for one to be opened again at once, and again. And what it sent
  // between an error of the socket and its end it would take for a part of the next session.
  socket.prependOnceListener('close', () => {
    if (!isCancel) socket.emit('error', failure('CONNECTION_CLOSED'));
  });
  // Both are there only until the driver has written its first message and attached its listener.
  socket.write = (first: Buffer) => {
    Reflect.deleteProperty(socket, 'write');
    isCancel = first.length >= 8 && first.readUInt32BE(4) === cancelRequest;
    return socket.write(isCancel ? first : startupOf(first));
  };
  const attach = socket.on.bind(socket);
  socket.on = (event: string, listener: Listener) => {
    if (event !== 'data') return attach(event, listener);
    Reflect.deleteProperty(socket, 'on');
    forgetRows(listener);
    return socket.on('data', filter(listener));
  };
}

/**
 * The driver keeps what it could not write to a socket that was closing, and writes less than 1,024 bytes only when a timer
 * says so, which it has cleared in that case. So its StartupMessage is made longer than that by a parameter, and what stands
 * before it and the parameter are taken out here.
 */
export const padding = { padding: 'x'.repeat(1024) };
const paddingBytes = Buffer.from(`padding\0${padding.padding}\0`);
const protocolVersion = Buffer.from([0, 3, 0, 0]);

function startupOf(first: Buffer): Buffer {
  const start = first.lastIndexOf(protocolVersion) - 4;
  const padded = first.indexOf(paddingBytes, start);
  const message = Buffer.concat([first.subarray(start, padded), first.subarray(padded + paddingBytes.length)]);
  message.writeUInt32BE(message.length, 0);
  return message;
}

/** The message "Query" of the simple protocol. */
function query(statements: string): Buffer {
  const text = Buffer.from(`${statements}\0`);
  const head = Buffer.alloc(headBytes);
  head.write('Q');
  head.writeUInt32BE(text.length + headBytes - 1, 1);
  return Buffer.concat([head, text]);
}
