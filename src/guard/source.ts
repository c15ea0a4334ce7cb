/**
 * The client address and the token's subject that a call is counted against, in addition to its user, as keyed digests.
 */
import { createHmac } from 'node:crypto';
import { networkOf, type ClientAddress } from '../values/network.ts';

export interface Origin {
  client: string;
  /** The token's `sub`. */
  subject: string;
  /** Whether the token is bound to one user. An unbound token is that of a back end. */
  bound: boolean;
  address: ClientAddress | undefined;
  /** Of the request, for the log. */
  traceId: string;
}

/** What a call can be counted against, and the label that an operator sees; undefined if it is not counted. */
const sources = {
  address: ({ address, bound }: Origin) =>
    address?.counts === 'always' || (address?.counts === 'bound' && bound) ? networkOf(address.text) : undefined,
  token: ({ client, subject, bound }: Origin) => (bound ? `${client} ${subject}` : undefined),
};

export type SourceKind = keyof typeof sources;

/** In the order in which their rows are locked. */
export const sourceKinds = Object.keys(sources) as SourceKind[];

export interface Source {
  kind: SourceKind;
  key: Buffer;
  label: string;
}

export type Digest = (kind: string, value: string) => Buffer;

/** Sixteen bytes are enough: nobody can compute a digest without the key. */
export function createDigest(key: Buffer): Digest {
  return (kind, value) => createHmac('sha256', key).update(`${kind}\n${value}`).digest().subarray(0, 16);
}

export function sourcesOf(digest: Digest, origin: Origin): Source[] {
  return sourceKinds.flatMap((kind) => {
    const label = sources[kind](origin);
    return label === undefined ? [] : [{ kind, key: digest(kind, label), label }];
  });
}
