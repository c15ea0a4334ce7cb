/** How a text is encoded, in GSM 7-bit (3GPP TS 23.038) or in UCS-2, and how many segments it takes. */

/** The basic alphabet in the order of its codes. Code 27 is the escape to the extension table. */
const basicAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const escapeCode = 27;
/** Each takes two septets: the escape and its own code. */
const extension: Record<string, number> = {
  '\f': 10,
  '^': 20,
  '{': 40,
  '}': 41,
  '\\': 47,
  '[': 60,
  '~': 61,
  ']': 62,
  '|': 64,
  '€': 101,
};

const codes = new Map(Array.from(basicAlphabet, (character, code) => [character, code] as const));
codes.delete('\u001b');

/** The maximum length of a segment: alone, and as a part of a longer text, where a header uses some of the space. */
const gsmSegment = { alone: 160, part: 153, characterOctets: 1 };
const ucs2Segment = { alone: 140, part: 134, characterOctets: 2 };

export interface Encoding {
  alphabet: 'GSM-7' | 'UCS-2';
  /** Septets or 16-bit units. */
  units: number;
  segments: number;
}

/** The codes of a text, one in each octet, as SMPP needs them. Undefined if a character is not in GSM 7-bit. */
export function gsmOctets(text: string): Buffer | undefined {
  const octets: number[] = [];
  for (const character of text) {
    const code = codes.get(character);
    if (code !== undefined) octets.push(code);
    else if (Object.hasOwn(extension, character)) octets.push(escapeCode, extension[character]!);
    else return undefined;
  }
  return Buffer.from(octets);
}

export function isGsm(text: string): boolean {
  return gsmOctets(text) !== undefined;
}

/** In network byte order. */
export function ucs2Octets(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

/** The parts of a text that each fit one segment. No part ends inside an escape or a surrogate pair. */
export function splitSegments(text: string): { alphabet: Encoding['alphabet']; parts: Buffer[] } {
  const gsm = gsmOctets(text);
  if (gsm) return { alphabet: 'GSM-7', parts: split(gsm, gsmSegment, (end) => gsm[end - 1] === escapeCode) };
  const ucs2 = ucs2Octets(text);
  const isHighSurrogate = (end: number) => ucs2[end - 2]! >= 0xd8 && ucs2[end - 2]! <= 0xdb;
  return { alphabet: 'UCS-2', parts: split(ucs2, ucs2Segment, isHighSurrogate) };
}

function split(octets: Buffer, segment: typeof gsmSegment, cutsCharacter: (end: number) => boolean): Buffer[] {
  if (octets.length <= segment.alone) return [octets];
  const parts: Buffer[] = [];
  for (let start = 0; start < octets.length;) {
    let end = Math.min(start + segment.part, octets.length);
    if (end < octets.length && cutsCharacter(end)) end -= segment.characterOctets;
    parts.push(octets.subarray(start, end));
    start = end;
  }
  return parts;
}

export function encodingOf(text: string): Encoding {
  const { alphabet, parts } = splitSegments(text);
  const octets = parts.reduce((sum, part) => sum + part.length, 0);
  return { alphabet, units: alphabet === 'GSM-7' ? octets : octets / 2, segments: parts.length };
}
