/** Whom a call counts for besides its user: the client address and the token's person, as keyed digests. */
import { createHmac } from 'node:crypto';
import type { Source, SourceKey } from './rules.ts';

export interface Origin {
  client: string;
  /** The token's `sub`. */
  subject: string;
  /** Whether the token is bound to one user; one that is not stands for a whole back end. */
  bound: boolean;
  address: ClientAddress | undefined;
}

export interface ClientAddress {
  text: string;
  /** The socket's address may be a back end's. One that a counted hop reports is a person's if the token is. */
  counts: 'never' | 'bound' | 'always';
}

export type Digest = (kind: string, value: string) => Buffer;

/** Sixteen bytes are plenty for a key that nobody can make without ours. */
export function createDigest(key: Buffer): Digest {
  return (kind, value) => createHmac('sha256', key).update(`${kind}\n${value}`).digest().subarray(0, 16);
}

export function sourceOf(digest: Digest, { client, subject, bound, address }: Origin): Source {
  const counts = address?.counts === 'always' || (address?.counts === 'bound' && bound);
  return {
    address: counts ? sourceKey(digest, 'address', networkOf(address.text)) : undefined,
    token: bound ? sourceKey(digest, 'token', `${client} ${subject}`) : undefined,
  };
}

function sourceKey(digest: Digest, kind: string, label: string): SourceKey {
  return { key: digest(kind, label), label };
}

/** An IPv6 client has a whole /64 to itself, so that is what counts as one. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
