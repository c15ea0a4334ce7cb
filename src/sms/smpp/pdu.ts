/** The PDUs of SMPP 3.4 that a sender of messages needs: encoding and decoding. */

export const commands = {
  genericNack: 0x80000000,
  bindTransceiver: 0x00000009,
  submitSm: 0x00000004,
  deliverSm: 0x00000005,
  unbind: 0x00000006,
  enquireLink: 0x00000015,
} as const;

/** A response has the command of its request, and this bit. */
const responseBit = 0x80000000;

export function isResponse(command: number): boolean {
  return command >= responseBit;
}

export function responseTo(command: number): number {
  return command + responseBit;
}

const headerLength = 16;
/** A longer length means that the two sides are out of sync. */
const longestPdu = 64 * 1024;

export interface Pdu {
  command: number;
  status: number;
  sequence: number;
  body: Buffer;
}

export function encodePdu({ command, status, sequence, body }: Pdu): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32BE(headerLength + body.length, 0);
  header.writeUInt32BE(command >>> 0, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

class MalformedPdu extends Error {}

/** Splits the received bytes into PDUs. Throws if they are not SMPP: then only a new session helps. */
export function pduReader(): (chunk: Buffer) => Pdu[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const pdus: Pdu[] = [];
    while (rest.length >= headerLength) {
      const length = rest.readUInt32BE(0);
      if (length < headerLength || length > longestPdu) throw new MalformedPdu(`a PDU of ${length} octets`);
      if (rest.length < length) break;
      pdus.push({
        command: rest.readUInt32BE(4),
        status: rest.readUInt32BE(8),
        sequence: rest.readUInt32BE(12),
        body: rest.subarray(headerLength, length),
      });
      rest = rest.subarray(length);
    }
    return pdus;
  };
}

function cString(text: string): Buffer {
  return Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from([0])]);
}

export interface Address {
  /** Type of number: 1 international, 3 short code, 5 alphanumeric. */
  ton: number;
  /** Numbering plan: 1 E.164, 0 none. */
  npi: number;
  address: string;
}

export function addressOf(text: string): Address {
  if (/^\+\d+$/.test(text)) return { ton: 1, npi: 1, address: text.slice(1) };
  if (/^\d{3,8}$/.test(text)) return { ton: 3, npi: 0, address: text };
  return /^\d+$/.test(text) ? { ton: 1, npi: 1, address: text } : { ton: 5, npi: 0, address: text };
}

function encodeAddress({ ton, npi, address }: Address): Buffer {
  return Buffer.concat([Buffer.from([ton, npi]), cString(address)]);
}

export function bindBody(systemId: string, password: string, systemType: string): Buffer {
  // Interface version 3.4; no address range.
  return Buffer.concat([...[systemId, password, systemType].map(cString), Buffer.from([0x34, 0, 0]), cString('')]);
}

export interface Submission {
  source: Address;
  destination: Address;
  validSeconds: number;
  wantsReceipt: boolean;
  ucs2: boolean;
  /** Whether the text begins with a user data header. */
  hasHeader: boolean;
  text: Buffer;
  optional?: readonly OptionalParameter[];
}

/** Section 3.2.4.1: tag, length, value. */
export interface OptionalParameter {
  tag: number;
  /** Written with a final zero octet. */
  value: string;
}

export function submitBody(submission: Submission): Buffer {
  const { source, destination, validSeconds, wantsReceipt, ucs2, hasHeader, text, optional = [] } = submission;
  return Buffer.concat([
    cString(''),
    encodeAddress(source),
    encodeAddress(destination),
    // esm_class, protocol_id, priority_flag
    Buffer.from([hasHeader ? 0x40 : 0, 0, 1]),
    cString(''),
    cString(relativeTime(validSeconds)),
    // registered_delivery, replace_if_present, data_coding, sm_default_msg_id, sm_length
    Buffer.from([wantsReceipt ? 1 : 0, 0, ucs2 ? 8 : 0, 0, text.length]),
    text,
    ...optional.map(encodeOptional),
  ]);
}

function encodeOptional({ tag, value }: OptionalParameter): Buffer {
  const octets = cString(value);
  const header = Buffer.alloc(4);
  header.writeUInt16BE(tag, 0);
  header.writeUInt16BE(octets.length, 2);
  return Buffer.concat([header, octets]);
}

/** Section 7.1.1.2: relative to when the SMSC receives it, YYMMDDhhmmss000R. */
function relativeTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.min(99, Math.floor(seconds / 86_400));
  return `0000${two(days)}${two(Math.floor(seconds / 3600) % 24)}${two(Math.floor(seconds / 60) % 60)}${two(seconds % 60)}000R`;
}

/** The user data header of a part of a long message: the reference, the number of parts, and which part it is. */
export function partHeader(reference: number, parts: number, part: number): Buffer {
  return Buffer.from([5, 0, 3, reference & 0xff, parts, part]);
}

/**
 * Reads a body field by field. After its end all fields are empty: some SMSCs leave out fields that they do not use.
 */
class Fields {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  byte(): number {
    return this.#body[this.#at++] ?? 0;
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    const stop = end < 0 ? this.#body.length : end;
    const text = this.#body.toString('latin1', this.#at, stop);
    this.#at = stop + 1;
    return text;
  }

  octets(length: number): Buffer {
    const octets = this.#body.subarray(this.#at, this.#at + length);
    this.#at += length;
    return octets;
  }

  optional(): Map<number, Buffer> {
    const values = new Map<number, Buffer>();
    while (this.#at + 4 <= this.#body.length) {
      const tag = this.#body.readUInt16BE(this.#at);
      const length = this.#body.readUInt16BE(this.#at + 2);
      this.#at += 4;
      values.set(tag, this.octets(length));
    }
    return values;
  }
}

/** The message id in submit_sm_resp. */
export function readSubmitted(body: Buffer): string {
  return new Fields(body).text();
}

export interface SmppDelivery {
  /** Whether it is a receipt, and not a message from a person. */
  isReceipt: boolean;
  id: string;
  /** Such as DELIVRD. */
  state: string;
  error: string;
}

const receiptedMessageId = 0x001e;
const messageState = 0x0427;
const messagePayload = 0x0424;
/** Section 5.2.28. */
const states = ['', 'ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD'];

/** A receipt has its content in optional fields, or in a text of the form that appendix B describes. */
export function readDelivery(body: Buffer): SmppDelivery {
  const fields = new Fields(body);
  fields.text();
  for (let address = 0; address < 2; address += 1) {
    fields.octets(2);
    fields.text();
  }
  const esmClass = fields.byte();
  fields.octets(2);
  fields.text();
  fields.text();
  fields.octets(4);
  const short = fields.octets(fields.byte());
  const optional = fields.optional();
  const text = (short.length > 0 ? short : (optional.get(messagePayload) ?? short)).toString('latin1');
  const word = (name: string) => new RegExp(`\\b${name}:\\s*([^\\s]+)`, 'i').exec(text)?.[1] ?? '';
  const id = optional.get(receiptedMessageId)?.toString('latin1').replace(/\0.*$/, '');
  const state = states[optional.get(messageState)?.[0] ?? 0];
  return {
    isReceipt: (esmClass & 0x3c) === 0x04,
    id: id || word('id'),
    state: (state || word('stat')).toUpperCase(),
    error: word('err'),
  };
}
