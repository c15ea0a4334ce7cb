/** What a rule about ranges of numbers saw, in the language of the page. */
import type { GuardEvidence } from '../../../client/index.ts';
import { countryName, formatNumber, formatShare } from '../format.ts';

/** The range or the country. */
export const evidenceSubject = ({ level, name }: GuardEvidence) =>
  level === 'country' ? countryName(name) : `${name}…`;

export function evidenceSentence(figures: GuardEvidence): string {
  const codes = `${formatNumber(figures.sent)} codes in the last hour (normal: ${formatNumber(figures.normalSent)}), ${formatShare(figures.verifiedPercent, 100)} of them verified (normal: ${formatShare(figures.normalVerifiedPercent, 100)}); ${formatNumber(figures.unverified)} unverified in the last day`;
  if (figures.failed === 0) return codes;
  return `${codes}; ${formatNumber(figures.failed)} of ${formatNumber(figures.reported)} texts failed, far more than in the rest of the country`;
}
