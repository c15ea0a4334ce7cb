/**
 * Solves the service's challenges: finds a number for each puzzle, so that the SHA-256 of `<token>.<puzzle>.<number>`
 * begins with four bytes below a threshold. The token fills one block of SHA-256, so each try hashes only one more
 * block.
 */

export interface Puzzles {
  token: string;
  count: number;
  below: number;
}

const form = /^proof-of-work token=([\w-]{64}); puzzles=(\d{1,3}); below=(\d{1,10})(?:;.*)?$/;
/** A challenge that needs more tries than this takes too long for a person to wait. */
const longestWork = 200_000_000;

/** Undefined for a challenge of another kind. */
export function parseChallenge(challenge: string): Puzzles | undefined {
  const [, token, count, below] = form.exec(challenge) ?? [];
  if (token === undefined) return undefined;
  const puzzles = { token, count: Number(count), below: Number(below) };
  return puzzles.count > 0 && (puzzles.count * 2 ** 32) / puzzles.below <= longestWork ? puzzles : undefined;
}

interface Hashing {
  startState: Int32Array;
  roundConstants: Int32Array;
  schedule: Int32Array;
}

/** FIPS 180-4: the constants are the fractional parts of the roots of the first primes. */
function createHashing(): Hashing {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
  return {
    startState: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    roundConstants: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    schedule: new Int32Array(64),
  };
}

/** FIPS 180-4 section 6.2.2. `words` is a block of 16 words. */
function compress(hashing: Hashing, state: Int32Array, words: Int32Array, result: Int32Array): void {
  const { roundConstants, schedule } = hashing;
  schedule.set(words);
  for (let index = 16; index < 64; index += 1) {
    const first = schedule[index - 15]!;
    const second = schedule[index - 2]!;
    const small = ((first >>> 7) | (first << 25)) ^ ((first >>> 18) | (first << 14)) ^ (first >>> 3);
    const large = ((second >>> 17) | (second << 15)) ^ ((second >>> 19) | (second << 13)) ^ (second >>> 10);
    schedule[index] = (schedule[index - 16]! + small + schedule[index - 7]! + large) | 0;
  }
  // Destructuring by iteration would take longer than the whole compression.
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let index = 0; index < 64; index += 1) {
    const sigmaE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + sigmaE + ((e & f) ^ (~e & g)) + roundConstants[index]! + schedule[index]!) | 0;
    const sigmaA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (sigmaA + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  result[0] = (state[0]! + a) | 0;
  result[1] = (state[1]! + b) | 0;
  result[2] = (state[2]! + c) | 0;
  result[3] = (state[3]! + d) | 0;
  result[4] = (state[4]! + e) | 0;
  result[5] = (state[5]! + f) | 0;
  result[6] = (state[6]! + g) | 0;
  result[7] = (state[7]! + h) | 0;
}

const blockLength = 64;

/** The last block of a message: its remaining bytes, a one bit, and its length in bits. */
function writeLastBlock(bytes: Uint8Array, rest: string, messageLength: number): void {
  bytes.fill(0);
  for (let index = 0; index < rest.length; index += 1) bytes[index] = rest.charCodeAt(index);
  bytes[rest.length] = 0x80;
  const bits = messageLength * 8;
  bytes[62] = bits >>> 8;
  bytes[63] = bits & 0xff;
}

function readWords(bytes: Uint8Array, words: Int32Array): void {
  for (let index = 0; index < 16; index += 1) {
    const at = 4 * index;
    words[index] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
}

export function createSolver({ token, count, below }: Puzzles) {
  const hashing = createHashing();
  const bytes = new Uint8Array(blockLength);
  const words = new Int32Array(16);
  const result = new Int32Array(8);
  const afterToken = new Int32Array(8);
  for (let index = 0; index < blockLength; index += 1) bytes[index] = token.charCodeAt(index);
  readWords(bytes, words);
  compress(hashing, hashing.startState, words, afterToken);
  const numbers: number[] = [];
  let number = 0;

  function isSolvedBy(rest: string): boolean {
    writeLastBlock(bytes, rest, blockLength + rest.length);
    readWords(bytes, words);
    compress(hashing, afterToken, words, result);
    return result[0]! >>> 0 < below;
  }

  /** Makes this number of tries. Returns the value of the header Challenge-Solution when the last puzzle is solved. */
  return function advance(tries: number): string | undefined {
    for (let made = 0; made < tries && numbers.length < count; made += 1) {
      const isSolved = isSolvedBy(`.${numbers.length}.${number}`);
      if (isSolved) numbers.push(number);
      number = isSolved ? 0 : number + 1;
    }
    return numbers.length === count ? `${token}.${numbers.join('.')}` : undefined;
  };
}
