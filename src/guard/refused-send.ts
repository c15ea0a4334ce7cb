/** A send that a rule refused, as the log of decisions keeps it. */
import type { Owner } from '../sharing/slots.ts';
import type { Evidence } from './evidence.ts';

export interface RefusedSend {
  id: number;
  at: Date;
  rule: string;
  userId: number;
  /** Masked. */
  phoneNumber: string | null;
  country: string | null;
  evidence: Evidence | null;
}

/** The position of a refused send in the log of decisions. */
export interface RefusalPosition {
  at: Date;
  id: number;
}

export interface RefusalFilter {
  userId: number | undefined;
  /** ISO 3166 code. */
  country: string | undefined;
  rule: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

/**
 * Reads refused sends after a position, or from a time on, newest first. `end` is the last row that was read, if there
 * may be older ones that match.
 */
export type FindRefusals = (
  filter: RefusalFilter,
  after: RefusalPosition | { at: Date } | undefined,
  limit: number,
  owner: Owner,
) => Promise<{ rows: RefusedSend[]; end: RefusalPosition | undefined }>;
