/** Opens a connection to PostgreSQL, encrypted if the address asks for it. */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { sharedLookup } from '../../network/shared-lookup.ts';
import type { DatabaseEndpoint, Encryption } from './address.ts';
import { failure, markAsConnecting } from '../failures.ts';
import { giveTime } from '../../network/give-time.ts';

/** PostgreSQL's protocol, "SSLRequest": its length and its code. */
const encryptionRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const encryptionGranted = 83;
/** An error message instead of an answer: the server could not start a process for the connection. */
const errorMessage = 69;

const keepAliveMilliseconds = 60_000;

export async function openSocket(
  endpoint: DatabaseEndpoint,
  encryption: Encryption,
  withinMilliseconds: number,
): Promise<Socket> {
  const { host, port } = endpoint;
  const isLocal = host.startsWith('/');
  const place = isLocal ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, lookup: sharedLookup };
  const socket = connect({ ...place, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMilliseconds });
  // An error rejects what waits for the socket. It may occur again when nothing waits any more.
  socket.on('error', () => undefined);
  const endTimer = giveTime(withinMilliseconds, () => socket.destroy(failure('CONNECT_TIMEOUT')));
  try {
    await once(socket, 'connect');
    return encryption.mode === 'off' || isLocal ? socket : await encrypt(socket, host, encryption);
  } catch (error) {
    socket.destroy();
    throw markAsConnecting(error);
  } finally {
    endTimer();
  }
}

async function encrypt(socket: Socket, host: string, { mode, ca }: Encryption): Promise<Socket> {
  socket.write(encryptionRequest);
  const [answer] = (await Promise.race([once(socket, 'data'), closing(socket)])) as [Buffer];
  if (answer[0] === errorMessage) throw failure('CONNECTION_REFUSED');
  // More than one byte would be text that an attacker on the network has inserted before the encrypted part
  // (CVE-2021-23222).
  if (answer.length !== 1) throw failure('ERR_TLS_UNEXPECTED_DATA');
  if (answer[0] !== encryptionGranted) {
    if (mode === 'preferred') return socket;
    throw failure('ERR_TLS_NOT_OFFERED');
  }
  const encrypted = connectTls({
    socket,
    // The name in the certificate is compared with it. Without it Node would expect "localhost" behind an address.
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    rejectUnauthorized: mode === 'verified',
  });
  encrypted.on('error', () => undefined);
  socket.on('error', (error) => encrypted.destroy(error));
  await once(encrypted, 'secureConnect');
  return encrypted;
}

async function closing(socket: Socket): Promise<never> {
  await once(socket, 'close');
  throw failure('ECONNRESET');
}
