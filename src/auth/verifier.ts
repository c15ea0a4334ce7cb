/** Verifies a bearer token and reads its caller. */
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import { BoundedCache } from '../sharing/bounded-cache.ts';
import type { Clock } from '../values/clock.ts';
import { parseId } from '../values/id.ts';
import { tokenInvalid } from '../errors.ts';
import type { Caller } from './caller.ts';
import type { KeySet, VerifyingKey } from './key-set.ts';

interface VerifierOptions {
  /** All spellings of the issuer that tokens may have. */
  issuer: string | string[];
  audience: string;
  algorithms: string[];
  skewSeconds: number;
  userClaim: string;
  keys: KeySet;
  clock: Clock;
  maxRememberedBytes?: number;
}

/** Returns synchronously for a token that was verified before. */
export type Verifier = (token: string) => Caller | Promise<Caller>;

interface Remembered {
  caller: Caller;
  expiresAt: number;
}

/** About 10,000 usual tokens. */
const defaultRememberedBytes = 32 * 1024 * 1024;
/** Maximum size of a remembered caller, without the texts of its token. */
const callerBytes = 1000;

export function createVerifier(options: VerifierOptions): Verifier {
  const maxBytes = options.maxRememberedBytes ?? defaultRememberedBytes;
  let remembered = new BoundedCache<string, Remembered>(maxBytes);
  // The key of some of them may have been removed, also of a token that is being verified.
  options.keys.onChange(() => (remembered = new BoundedCache(maxBytes)));

  async function verify(token: string): Promise<Caller> {
    const rememberedAtStart = remembered;
    const header = headerOf(token);
    const { alg, typ } = header;
    if (!alg || !options.algorithms.includes(alg)) throw tokenInvalid('the algorithm is not allowed');
    const key = await options.keys.find(header);
    if (!key) throw tokenInvalid('the key is not known');
    const payload = await checked(token, key, options);
    refuseOtherKinds(typ, payload);
    const expiresAt = new Date((payload.exp! + options.skewSeconds) * 1000);
    const caller = callerOf(payload, options.userClaim, expiresAt);
    rememberedAtStart.set(token, { caller, expiresAt: expiresAt.getTime() }, callerBytes + 2 * token.length);
    return caller;
  }

  return function verifier(token) {
    options.keys.keepFresh();
    const known = remembered.get(token);
    if (!known) return verify(token);
    if (options.clock.now().getTime() < known.expiresAt) return known.caller;
    remembered.delete(token);
    throw tokenInvalid('the token has expired');
  };
}

function headerOf(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw tokenInvalid('the token is malformed');
  }
}

async function checked(token: string, key: VerifyingKey, options: VerifierOptions): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key, {
      issuer: options.issuer,
      audience: options.audience,
      algorithms: options.algorithms,
      clockTolerance: options.skewSeconds,
      currentDate: options.clock.now(),
      requiredClaims: ['exp'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw tokenInvalid('the token has expired');
    if (error instanceof errors.JWTClaimValidationFailed) throw tokenInvalid(`the claim ${error.claim} does not fit`);
    throw tokenInvalid('the signature does not fit');
  }
}

/** RFC 9068 gives access tokens a type. Many issuers do not, so a token without a type is accepted unless its claims
 * show that it is of another kind. */
function refuseOtherKinds(type: unknown, payload: JWTPayload): void {
  if (type !== undefined && typeof type !== 'string') throw tokenInvalid('the type does not fit');
  const kind = type?.toLowerCase().replace(/^application\//, '');
  if (kind === 'at+jwt') return;
  const identity = ['nonce', 'at_hash', 'c_hash', 'events'].some((claim) => claim in payload);
  const named = payload.token_use === 'id' || payload.typ === 'ID';
  if ((kind !== undefined && kind !== 'jwt') || identity || named) {
    throw tokenInvalid('the token is not an access token');
  }
}

function callerOf(payload: JWTPayload, userClaim: string, expiresAt: Date): Caller {
  const subject = nameIn(payload, 'sub');
  const client = nameIn(payload, 'client_id') ?? nameIn(payload, 'azp') ?? subject ?? 'unknown';
  return {
    client,
    subject: subject ?? client,
    scopes: new Set(scopesOf(payload.scope ?? payload.scp)),
    userId: boundUser(payload[userClaim]),
    expiresAt,
  };
}

/** Undefined if it is absent or empty. Names are stored, and PostgreSQL stores neither U+0000 nor half of a character. */
function nameIn(payload: JWTPayload, claim: string): string | undefined {
  const given = payload[claim] ?? '';
  if (given === '') return undefined;
  const isStorable = (name: string) => name.isWellFormed() && !name.includes('\u0000');
  const isName = typeof given === 'number' || (typeof given === 'string' && isStorable(given));
  if (!isName) throw tokenInvalid(`the claim ${claim} does not fit`);
  return String(given);
}

function scopesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.map(String) : [];
}

/** Only a token without the claim is unbound. One whose claim is null, empty or malformed is refused. */
function boundUser(claim: unknown): number | undefined {
  if (claim === undefined) return undefined;
  const id = typeof claim === 'number' || typeof claim === 'string' ? parseId(String(claim)) : undefined;
  if (id === undefined) throw tokenInvalid('the claim that binds a user does not fit');
  return id;
}
