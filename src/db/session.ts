/**
 * Prepares each new session before the driver uses it. Settings in the startup packet would be enough for PostgreSQL
 * itself, but a pgbouncer in front of it refuses them or, if configured so, silently ignores them.
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
/**
 * The code of a connection that only asks to cancel a statement of another connection, and is closed without an answer.
 */
const cancelRequest = 80_877_102;

interface SessionOptions {
  /** Run when the login is done. Only after that does the driver get the message that the session is ready. */
  statements: string;
  /** How long the login and the statements may take. A pooler lets both wait while it has no free connection. */
  withinMilliseconds: number;
  onLogin(processId: number): void;
}

export function prepareSession(socket: Socket, { statements, withinMilliseconds, onLogin }: SessionOptions): void {
  let isPreparing = false;
  let isPrepared = false;
  let wasRefused = false;
  let isCancel = false;
  let rest: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(failure('LOGIN_TIMEOUT')), withinMilliseconds);

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
        clearTimeout(timer);
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
    // The driver treats it as the error of the first statement that it wanted to run.
    wasRefused = type === refused && isPreparing;
    return !(type === complete && isPreparing);
  }

  // If a session ends during the login, the driver opens another one immediately, without a limit. And it would treat
  // what it sent between an error of the socket and its end as part of the next session.
  socket.prependOnceListener('close', () => {
    clearTimeout(timer);
    if (!isCancel) socket.emit('error', failure('CONNECTION_CLOSED'));
  });
  // Both replacements are removed when the driver has written its first message and attached its listener.
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
 * The driver keeps what it could not write to a closing socket. It writes less than 1,024 bytes only after a timer,
 * which it has cleared in that case. So a parameter makes its StartupMessage longer than that, and here the bytes
 * before the message and the parameter are removed.
 */
export const startupPadding = { padding: 'x'.repeat(1024) };
const paddingBytes = Buffer.from(`padding\0${startupPadding.padding}\0`);
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
