import { expect, it } from 'vitest';
import { describeEvidence, type Evidence } from '../../src/guard/evidence.ts';

const range: Evidence = {
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
  [
    range,
    'range +44791110 was sent 10 codes in the last hour, normal 0.4; 0 % verified, normal 60 %; 10 unverified in the last day',
  ],
  [
    { ...range, level: 'country' as const, name: 'GB', sent: 1, failed: 8, reported: 9 },
    'country GB was sent 1 code in the last hour, normal 0.4; 0 % verified, normal 60 %; 10 unverified in the last day; 8 of 9 texts failed, far more than in the rest of the country',
  ],
])('evidence %o is one sentence', (evidence, sentence) => {
  expect(describeEvidence(evidence)).toBe(sentence);
});
