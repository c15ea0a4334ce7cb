/**
 * PostgreSQL's hash of an integer (`hashint4`), by which Citus places individuals: each shard has the individuals of
 * one range of hashes. So rows that are separated by ranges of hashes are also separated by shards, whatever the number
 * of shards.
 */

/** The initial value of PostgreSQL's `hash_bytes_uint32`: its arbitrary constant, the four bytes, and the seed. */
const initial = (0x9e_37_79_b9 + 4 + 3_923_095) | 0;

/** The steps that mix three words, by the bits that each of them rotates: see `final` in PostgreSQL's hashfn.c. */
export function hashIndividual(individualId: number): number {
  let [a, b, c] = [(initial + individualId) | 0, initial, initial];
  c = mix(c, b, 14);
  a = mix(a, c, 11);
  b = mix(b, a, 25);
  c = mix(c, b, 16);
  a = mix(a, c, 4);
  b = mix(b, a, 14);
  return mix(c, b, 24);
}

function mix(word: number, other: number, bits: number): number {
  return ((word ^ other) - ((other << bits) | (other >>> (32 - bits)))) | 0;
}

const hashCount = 2 ** 32;

/** The index, from 0, of the individual's range, if the hashes are divided into `rangeCount` equal ranges. */
export function rangeOf(individualId: number, rangeCount: number): number {
  return Math.floor(((hashIndividual(individualId) + hashCount / 2) / hashCount) * rangeCount);
}
