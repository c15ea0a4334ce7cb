/** What a rule about ranges saw: one sentence in the database, in logs and for the API, and figures for pages. */

export interface EvidenceFigures {
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

const round = (value: number) => (value < 10 ? Number(value.toFixed(1)) : Math.round(value));

export function writeEvidence(figures: EvidenceFigures): string {
  const { level, name, sent, normalSent, verifiedPercent, normalVerifiedPercent, unverified, failed, reported } =
    figures;
  const codes = sent === 1 ? '1 code' : `${sent} codes`;
  const failures =
    failed > 0 ? `; ${failed} of ${reported} texts failed, far more than in the rest of the country` : '';
  return `${level} ${name} was sent ${codes} in the last hour, normal ${round(normalSent)}; ${verifiedPercent} % verified, normal ${normalVerifiedPercent} %; ${unverified} unverified in the last day${failures}`;
}

const sentence =
  /^(range|country) (\S+) was sent (\d+) codes? in the last hour, normal ([\d.]+); (\d+) % verified, normal (\d+) %; (\d+) unverified in the last day(?:; (\d+) of (\d+) texts failed, far more than in the rest of the country)?$/;

/** The figures of a sentence. Null for a sentence that an earlier release wrote in other words. */
export function readEvidence(text: string | null): EvidenceFigures | null {
  const match = text === null ? null : sentence.exec(text);
  if (!match) return null;
  const [, level, name, ...numbers] = match;
  const [sent, normalSent, verifiedPercent, normalVerifiedPercent, unverified, failed, reported] = numbers.map(
    (digits) => Number(digits ?? 0),
  );
  return {
    level: level as EvidenceFigures['level'],
    name: name!,
    sent: sent!,
    normalSent: normalSent!,
    verifiedPercent: verifiedPercent!,
    normalVerifiedPercent: normalVerifiedPercent!,
    unverified: unverified!,
    failed: failed!,
    reported: reported!,
  };
}
