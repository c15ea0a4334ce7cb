/** What a rule about ranges of numbers saw, in the language of the page. */
import type { GuardEvidence } from '../../../client/index.ts';
import { countryName, formatNumber, formatShare } from '../format.ts';
import { t } from '../texts.ts';

/** The range or the country. */
export const evidenceSubject = ({ level, name }: GuardEvidence) =>
  level === 'country' ? countryName(name) : `${name}…`;

export function evidenceSentence(figures: GuardEvidence): string {
  const codes = t.guard.evidence(
    formatNumber(figures.sent),
    formatNumber(figures.normalSent),
    formatShare(figures.verifiedPercent, 100),
    formatShare(figures.normalVerifiedPercent, 100),
    formatNumber(figures.unverified),
  );
  if (figures.failed === 0) return codes;
  return t.guard.evidenceOfReceipts(codes, formatNumber(figures.failed), formatNumber(figures.reported));
}
