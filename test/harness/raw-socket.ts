/** HTTP as bytes, for what a client library would not send. */
import { connect } from 'node:net';

/** Sends bytes and reads until the server closes or has answered. */
export async function exchangeBytes(
  url: string,
  bytes: string | Uint8Array,
  until: RegExp = /\r\n\r\n/,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk;
      if (until.test(received)) socket.destroy();
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}
