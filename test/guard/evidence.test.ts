import { expect, it } from 'vitest';
import { readEvidence, writeEvidence, type EvidenceFigures } from '../../src/guard/evidence.ts';

const range: EvidenceFigures = {
  level: 'range',
  name: '+44791110',
  sent: 10,
  normalSent: 0.4,
  verifiedPercent: 0,
  normalVerifiedPercent: 60,
  unverified: 10,
  failed: 0,
  reported: 0,
};

it.each([
  range,
  { ...range, sent: 1, normalSent: 0 },
  { ...range, failed: 8, reported: 9 },
  { ...range, level: 'country' as const, name: 'GB', sent: 12_345, normalSent: 900, verifiedPercent: 100 },
])('the figures of a sentence are read again: %o', (figures) => {
  expect(readEvidence(writeEvidence(figures))).toEqual(figures);
});

it.each([null, '', 'range +44 was sent many codes', `${writeEvidence(range)}.`])('%o has no figures', (text) => {
  expect(readEvidence(text)).toBeNull();
});
