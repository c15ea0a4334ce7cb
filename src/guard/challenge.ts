/**
 * Challenges and the proofs that answer them: docs/decisions/0008-challenge.md. A challenge is not stored; its token
 * contains what is needed to check the solution.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { secondsBetween } from '../values/clock.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import type { Digest } from './source.ts';

/** The proof in the headers of the request. */
export interface GivenProof {
  /** The header Challenge-Solution. */
  solution?: string | undefined;
  /** The header Attestation. */
  attestation?: string | undefined;
}

/** The send that a proof is bound to. */
export interface ProvenSend {
  userId: number;
  e164: string;
}

/** A valid proof. The database decides whether it was used before. */
export interface Proof {
  kind: 'solution' | 'attestation';
  /** The digest by which used proofs are stored. */
  key: Buffer;
  expiresAt: Date;
}

export interface ChallengeOptions {
  keys: DigestKeys;
  attestationKeys: readonly Buffer[];
  /** Hashes that a solution takes on average. */
  work: number;
  digest: Digest;
}

export type Challenges = ReturnType<typeof createChallenges>;

/** The time to solve several small puzzles varies less than that of one large puzzle. */
const puzzleCount = 16;
const nonceLength = 16;
const headLength = nonceLength + 8;
const macLength = 24;
/** The token, then a number of up to ten digits for each puzzle. */
const solutionForm = /^([\w-]{64})((?:\.\d{1,10}){16})$/;
const attestationForm = /^v1\.(\d{1,12})\.([\w-]{16,64})\.([\w-]{43})$/;
/** How long a challenge can be solved: a slow phone needs some seconds, a person a few minutes. */
const challengeSeconds = 300;
/** The longest validity of an attestation. Its nonce is stored until it expires. */
const longestAttestationSeconds = 3600;
/** The largest allowed difference between the clocks of two nodes, or of a node and a back end. */
export const clockDifferenceSeconds = 60;

export function createChallenges({ keys, attestationKeys, work, digest }: ChallengeOptions) {
  function make(send: ProvenSend, now: Date): string {
    const head = Buffer.alloc(headLength);
    randomBytes(nonceLength).copy(head);
    head.writeUInt32BE(Math.floor(now.getTime() / 1000) + challengeSeconds, nonceLength);
    head.writeUInt32BE(work, nonceLength + 4);
    const token = Buffer.concat([head, macOf(keys.current, head, send)]).toString('base64url');
    return `proof-of-work token=${token}; puzzles=${puzzleCount}; below=${thresholdOf(work)}`;
  }

  /** Undefined if the request has no valid proof. */
  function check({ solution, attestation }: GivenProof, send: ProvenSend, now: Date): Proof | undefined {
    return checkAttestation(attestation, send, now) ?? checkSolution(solution, send, now);
  }

  function checkSolution(solution: string | undefined, send: ProvenSend, now: Date): Proof | undefined {
    const [, token = '', numbers = ''] = solutionForm.exec(solution ?? '') ?? [];
    if (token === '') return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const head = bytes.subarray(0, headLength);
    const isOurs = keys.all.some((key) => timingSafeEqual(macOf(key, head, send), bytes.subarray(headLength)));
    const expiresAt = new Date(head.readUInt32BE(nonceLength) * 1000);
    if (!isOurs || !isCurrent(expiresAt, now, challengeSeconds)) return undefined;
    const threshold = thresholdOf(head.readUInt32BE(nonceLength + 4));
    const isSolved = numbers
      .slice(1)
      .split('.')
      .every((number, index) => hashOf(`${token}.${index}.${number}`) < threshold);
    return isSolved ? proofOf('solution', send, head.toString('hex'), expiresAt) : undefined;
  }

  function checkAttestation(attestation: string | undefined, send: ProvenSend, now: Date): Proof | undefined {
    const [, expires = '', nonce = '', signature = ''] = attestationForm.exec(attestation ?? '') ?? [];
    if (nonce === '') return undefined;
    const statement = ['v1', send.userId, send.e164, expires, nonce].join('\n');
    const given = Buffer.from(signature, 'base64url');
    const isTheirs = attestationKeys.some((key) => timingSafeEqual(hmacOf(key, statement), given));
    const expiresAt = new Date(Number(expires) * 1000);
    if (!isTheirs || !isCurrent(expiresAt, now, longestAttestationSeconds)) return undefined;
    return proofOf('attestation', send, nonce, expiresAt);
  }

  /** The nonce of a back end must be new for the user only. */
  function proofOf(kind: Proof['kind'], { userId }: ProvenSend, nonce: string, expiresAt: Date): Proof {
    return { kind, key: digest('proof', `${kind}\n${userId}\n${nonce}`), expiresAt };
  }

  return { make, check };
}

/** A proof that expires too late was made before the clock was put back, and is refused too. */
function isCurrent(expiresAt: Date, now: Date, longestSeconds: number): boolean {
  const seconds = secondsBetween(now, expiresAt);
  return seconds > 0 && seconds <= longestSeconds + clockDifferenceSeconds;
}

function thresholdOf(work: number): number {
  return Math.floor((2 ** 32 * puzzleCount) / Math.max(puzzleCount, work));
}

function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16);
}

function macOf(key: Buffer, head: Buffer, { userId, e164 }: ProvenSend): Buffer {
  return createHmac('sha256', key).update(head).update(`\n${userId}\n${e164}`).digest().subarray(0, macLength);
}

function hmacOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
