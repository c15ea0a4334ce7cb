/** A small SMSC of our own. It reads and writes octets by itself, so that it does not share the client's mistakes. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface Submitted {
  id: string;
  source: string;
  sourceTon: number;
  destination: string;
  esmClass: number;
  validity: string;
  wantsReceipt: boolean;
  dataCoding: number;
  octets: Buffer;
  /** The optional parameters by tag. */
  optional: Record<number, string>;
}

export interface Smsc {
  port: number;
  submitted: Submitted[];
  /** Commands that arrived, in order. */
  commands: number[];
  /** Most submissions that waited for their answer at once. */
  maxAtOnce: number;
  /** The status that submissions get; 'silent' gives none, 'drop' ends the connection. */
  answer: number | 'silent' | 'drop';
  answerAfterMilliseconds: number;
  bindStatus: number;
  /** Whether anything is answered at all. */
  deaf: boolean;
  receipt(id: string, state: string, how?: 'text' | 'fields'): void;
  write(octets: Buffer): void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const submitSm = 4;
const bindTransceiver = 9;

/** With a certificate it speaks TLS. */
export async function startSmsc(certificate?: { key: string; cert: string }): Promise<Smsc> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let number = 0;
  let atOnce = 0;

  const smsc: Smsc = {
    port: 0,
    submitted: [],
    commands: [],
    maxAtOnce: 0,
    answer: 0,
    answerAfterMilliseconds: 0,
    bindStatus: 0,
    deaf: false,
    receipt(id, state, how = 'text') {
      const text =
        how === 'text'
          ? `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:${state} err:042 text:`
          : '';
      const fields =
        how === 'fields'
          ? [tlv(0x001e, Buffer.from(`${id}\0`)), tlv(0x0427, Buffer.from([state === 'DELIVRD' ? 2 : 5]))]
          : [];
      const body = Buffer.concat([
        Buffer.from('\0\x01\x01447911123456\0\x05\0Acme\0', 'latin1'),
        Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0, text.length]),
        Buffer.from(text),
        ...fields,
      ]);
      smsc.write(pdu(5, 0, 9000 + (number += 1), body));
    },
    write(octets) {
      for (const socket of sockets) socket.write(octets);
    },
    async start() {
      server = certificate ? createSecureServer(certificate, serve) : createServer(serve);
      server.listen(smsc.port, '127.0.0.1');
      await once(server, 'listening');
      smsc.port = (server.address() as AddressInfo).port;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (server?.listening) await new Promise((resolve) => server!.close(resolve));
    },
  };

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
        const length = rest.readUInt32BE(0);
        take(socket, rest.readUInt32BE(4), rest.readUInt32BE(12), Buffer.from(rest.subarray(16, length)));
        rest = rest.subarray(length);
      }
    });
  }

  function take(socket: Socket, command: number, sequence: number, body: Buffer): void {
    smsc.commands.push(command);
    if (smsc.deaf || command >= 0x80000000) return;
    const reply = (status: number, answer = Buffer.alloc(0)) =>
      socket.write(pdu(command + 0x80000000, status, sequence, answer));
    if (command === bindTransceiver) return void reply(smsc.bindStatus, Buffer.from('smsc\0'));
    if (command !== submitSm) return void reply(0);
    const one = readSubmission(body, `m${(number += 1)}`);
    smsc.submitted.push(one);
    if (smsc.answer === 'silent') return;
    if (smsc.answer === 'drop') return void socket.destroy();
    const status = smsc.answer;
    atOnce += 1;
    smsc.maxAtOnce = Math.max(smsc.maxAtOnce, atOnce);
    setTimeout(() => {
      atOnce -= 1;
      reply(status, Buffer.from(status === 0 ? `${one.id}\0` : '\0'));
    }, smsc.answerAfterMilliseconds);
  }

  await smsc.start();
  onTestFinished(() => smsc.stop());
  return smsc;
}

function readSubmission(body: Buffer, id: string): Submitted {
  let at = 0;
  const text = () => {
    const end = body.indexOf(0, at);
    const found = body.toString('latin1', at, end);
    at = end + 1;
    return found;
  };
  const byte = () => body[at++]!;
  text();
  const sourceTon = byte();
  byte();
  const source = text();
  at += 2;
  const destination = text();
  const esmClass = byte();
  at += 2;
  text();
  const validity = text();
  const wantsReceipt = byte() === 1;
  byte();
  const dataCoding = byte();
  byte();
  const length = byte();
  const octets = body.subarray(at, at + length);
  at += length;
  const optional: Record<number, string> = {};
  while (at + 4 <= body.length) {
    const end = at + 4 + body.readUInt16BE(at + 2);
    optional[body.readUInt16BE(at)] = body.toString('latin1', at + 4, end);
    at = end;
  }
  if (octets.length !== length || at !== body.length) throw new Error('The lengths do not agree.');
  return { id, source, sourceTon, destination, esmClass, validity, wantsReceipt, dataCoding, octets, optional };
}

function pdu(command: number, status: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(command, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

function tlv(tag: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(tag, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value]);
}
