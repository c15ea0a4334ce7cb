/** A send that a rule refused, as the log of decisions keeps it. */
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
