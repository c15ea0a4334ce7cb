/** The figures behind a decision about a range of numbers. */
import { integer, nullable, number, record, word } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';

export const evidenceFigures = nullable(
  record('GuardEvidence', {
    level: required(word(['range', 'country']), 'What the figures are about.'),
    name: required(text(), 'Leading digits such as +447911, or an ISO 3166 code.'),
    sent: required(integer(), 'Codes of the last hour.'),
    normalSent: required(number(), 'What is normal for an hour.'),
    verifiedPercent: required(integer(), 'The share of them that was verified.'),
    normalVerifiedPercent: required(integer(), 'What is normal.'),
    unverified: required(integer(), 'Codes of the last day that the verified codes do not explain.'),
    failed: required(integer(), 'Texts of the last day that failed, if they are evidence; 0 otherwise.'),
    reported: required(
      integer(),
      'All texts of the last day with a receipt, if failed texts are evidence; 0 otherwise.',
    ),
  }),
);
