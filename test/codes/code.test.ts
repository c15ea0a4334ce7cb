/** Codes: derived from a key and a seed, so that a stored code can be sent again without being stored. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { deriveCode, digestCode, isCodeOf, makeSeed, recoverCode } from '../../src/codes/code.ts';

const owner = (seed = makeSeed()) => ({ kind: 'verification' as const, userId: 17, boundTo: '+447911123456', seed });
const keysOf = (...all: Buffer[]) => ({ current: all[0]!, all });

it('a code has the digits that are asked for, with leading zeros', () => {
  const key = randomBytes(32);
  for (const digits of [4, 6, 8, 10]) {
    const codes = Array.from({ length: 500 }, () => deriveCode(key, owner(), digits));
    expect(codes.every((code) => code.length === digits && /^\d+$/.test(code))).toBe(true);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
  }
});

it('every digit is equally likely at every place', () => {
  const key = randomBytes(32);
  const rounds = 20_000;
  const counts = Array.from({ length: 6 }, () => Array<number>(10).fill(0));
  for (let round = 0; round < rounds; round += 1) {
    Array.from(deriveCode(key, owner(), 6)).forEach((digit, place) => (counts[place]![Number(digit)]! += 1));
  }
  // 2,000 expected, with a standard deviation of 42: six of them are passed once in 500 million counts.
  for (const count of counts.flat()) expect(Math.abs(count - rounds / 10)).toBeLessThan(6 * 42.4);
});

it('the same key, owner and seed give the same code, and any other gives another', () => {
  const [key, seed] = [randomBytes(32), makeSeed()];
  const code = deriveCode(key, owner(seed), 10);
  expect(deriveCode(key, owner(seed), 10)).toBe(code);
  const others = [
    deriveCode(randomBytes(32), owner(seed), 10),
    deriveCode(key, owner(), 10),
    deriveCode(key, { ...owner(seed), userId: 18 }, 10),
    deriveCode(key, { ...owner(seed), boundTo: '+447911123457' }, 10),
    deriveCode(key, { ...owner(seed), kind: 'change' }, 10),
    deriveCode(key, { ...owner(seed), kind: 'confirmation' }, 10),
  ];
  expect(new Set([code, ...others]).size).toBe(7);
});

it('a digest verifies only for its kind, user, phone and seed, with any of the keys', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const of = owner();
  const digest = digestCode(old, of, '123456');
  expect(isCodeOf(keysOf(current, old), digest, of, '123456')).toBe(true);
  expect(isCodeOf(keysOf(current), digest, of, '123456')).toBe(false);
  expect(isCodeOf(keysOf(old), digest, of, '123457')).toBe(false);
  expect(isCodeOf(keysOf(old), digest, { ...of, userId: 18 }, '123456')).toBe(false);
  expect(isCodeOf(keysOf(old), digest, { ...of, seed: makeSeed() }, '123456')).toBe(false);
  expect(isCodeOf(keysOf(old), digest, { ...of, kind: 'change' }, '123456')).toBe(false);
});

it('a stored code is recovered with the key that made it, and not with another or with other digits', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const of = owner();
  const code = deriveCode(old, of, 6);
  const stored = { seed: of.seed, digest: digestCode(old, of, code) };
  expect(recoverCode(keysOf(current, old), stored, of, 6)).toBe(code);
  expect(recoverCode(keysOf(current), stored, of, 6)).toBeUndefined();
  expect(recoverCode(keysOf(old), stored, of, 8)).toBeUndefined();
});
