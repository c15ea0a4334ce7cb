/** What a rule about ranges saw: figures in the database and for pages, and a sentence for logs, events and the API. */

export interface Evidence {
  level: 'range' | 'country';
  /** Leading digits such as +447911, or a country such as GB. */
  name: string;
  /** Codes of the last hour. */
  sent: number;
  normalSent: number;
  /** The share of them that was verified. */
  verifiedPercent: number;
  normalVerifiedPercent: number;
  /** Codes of the last day that the verified codes do not explain: see `explainedBy` in ranges.ts. */
  unverified: number;
  /** Texts of the last day that failed, of those that were reported; both 0 if that is not evidence. */
  failed: number;
  reported: number;
}

export function describeEvidence(evidence: Evidence): string {
  const { level, name, sent, normalSent, verifiedPercent, normalVerifiedPercent, unverified, failed, reported } =
    evidence;
  const codes = sent === 1 ? '1 code' : `${sent} codes`;
  const failures =
    failed > 0 ? `; ${failed} of ${reported} texts failed, far more than in the rest of the country` : '';
  return `${level} ${name} was sent ${codes} in the last hour, normal ${normalSent}; ${verifiedPercent} % verified, normal ${normalVerifiedPercent} %; ${unverified} unverified in the last day${failures}`;
}
