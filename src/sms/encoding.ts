/** How a text travels: in GSM 7-bit letters (3GPP TS 23.038) or UCS-2, and in how many segments. */

/** The basic alphabet in the order of its codes; position 27 is the escape to the extension. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const escapeCode = 27;
/** Each takes two septets: the escape and its own. */
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

const codes = new Map(Array.from(basic, (letter, code) => [letter, code] as const));
codes.delete('\u001b');

export interface Encoding {
  alphabet: 'GSM-7' | 'UCS-2';
  /** Septets or 16-bit units. */
  units: number;
  segments: number;
}

/** The codes of a text, one an octet, as SMPP and modems take them; undefined when a letter is not in GSM-7. */
export function gsmOctets(text: string): Buffer | undefined {
  const octets: number[] = [];
  for (const letter of text) {
    const code = codes.get(letter);
    if (code !== undefined) octets.push(code);
    else if (Object.hasOwn(extension, letter)) octets.push(escapeCode, extension[letter]!);
    else return undefined;
  }
  return Buffer.from(octets);
}

export function isGsm(text: string): boolean {
  return gsmOctets(text) !== undefined;
}

/** Big-endian, as networks have it. */
export function ucs2Octets(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

/** The parts of a text that each fit one segment; no part ends inside an escape or a surrogate pair. */
export function splitSegments(text: string): { alphabet: Encoding['alphabet']; parts: Buffer[] } {
  const gsm = gsmOctets(text);
  if (gsm) return { alphabet: 'GSM-7', parts: cut(gsm, 160, 153, (at) => gsm[at - 1] === escapeCode) };
  const ucs2 = ucs2Octets(text);
  const isHigh = (at: number) => ucs2[at - 2]! >= 0xd8 && ucs2[at - 2]! <= 0xdb;
  return { alphabet: 'UCS-2', parts: cut(ucs2, 140, 134, isHigh) };
}

function cut(octets: Buffer, one: number, many: number, insideLetter: (at: number) => boolean): Buffer[] {
  if (octets.length <= one) return [octets];
  const step = one === 160 ? 1 : 2;
  const parts: Buffer[] = [];
  for (let start = 0; start < octets.length;) {
    let end = Math.min(start + many, octets.length);
    if (end < octets.length && insideLetter(end)) end -= step;
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
