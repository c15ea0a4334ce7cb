import type { RangeBook } from '../src/guard/ranges/range-book.ts';

export type Random = (limit: number) => number;

export interface Send {
  at: number;
  isHonest: boolean;
  phone: string;
  /** Whether the code will be verified, a minute later. */
  isVerified: boolean;
  /** Whether the sender solves challenges. */
  provesItself: boolean;
}

export interface AttackOptions {
  hours: number;
  percent?: number;
  phoneOf(index: number): string;
  provesItself?: boolean;
}

export interface ByKind {
  honest: number;
  attacker: number;
}

export function createRandom(seed?: number): Random;
export function honestPhone(random: Random): string;
export function thinPhone(index: number): string;
export function phoneOfHundredPrefixes(index: number): string;
export function honestDay(random: Random, from: number, usersOfDay: number): Send[];
export function honestSends(
  random: Random,
  from: number,
  count: number,
  options?: { hours?: number; percent?: number },
): Send[];
export function attackSends(random: Random, from: number, count: number, options: AttackOptions): Send[];
export function play(
  book: RangeBook,
  sends: Send[],
  options?: { takesProofs?: boolean; isLikely?(send: Send): boolean; isDelivered?(send: Send): boolean },
): { texts: ByKind; refused: ByKind; proofs: ByKind };
