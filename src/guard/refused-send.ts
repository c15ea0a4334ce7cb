/** A send that a rule refused, as the log of decisions keeps it. */

export interface RefusedSend {
  id: number;
  at: Date;
  rule: string;
  userId: number;
  /** Masked. */
  phoneNumber: string | null;
  country: string | null;
  evidence: string | null;
}

/** The position of a refused send in the log of decisions. */
export interface RefusalPosition {
  at: Date;
  id: number;
}
