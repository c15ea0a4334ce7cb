/** A name server: answers for the names that it is given, and is silent about those that it is told to be silent about. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const recordTypes: Record<number, 4 | 6> = { 1: 4, 28: 6 };

/** Names with their IPv4 addresses. All others do not exist, unless they end with `.silent`. */
export async function startNameServer(addresses: Record<string, string> = {}, port = 0, host = '127.0.0.1') {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port: from, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    if (name.endsWith('.silent')) return;
    const found = recordTypes[type] === 4 ? addresses[name] : undefined;
    socket.send(answerTo(query.subarray(0, end), name in addresses, found), from, address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { address: `${host}:${socket.address().port}`, asked };
}

/** RFC 1035, section 4.1.2. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    at += 1 + query[at]!;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, exists: boolean, address: string | undefined): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(exists ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(address ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  if (!address) return head;
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([head, record]);
}
