import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { decidedOperations } from '../../../guard/decisions.ts';
import { describeEvidence } from '../../../guard/evidence.ts';
import { ruleNames } from '../../../guard/rules.ts';
import { instant, integer, listOf, nullable, record, word } from '../../../formats/record.ts';
import { int32, optional, required, text } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';
import { query } from '../../query-shape.ts';
import { evidenceFigures } from './evidence-shape.ts';
import { pageQuery } from '../page-query.ts';

const actions = ['refused', 'shadow'] as const;

const decision = record('GuardDecision', {
  id: required(integer(), 'Its number.'),
  at: required(instant(), 'When it was made.'),
  rule: required(text({ schema: { enum: ruleNames } }), 'The rule that decided.'),
  action: required(text({ schema: { enum: actions } }), 'Whether the request was refused, or would have been.'),
  operation: required(text({ schema: { enum: decidedOperations } }), 'The operation that was called.'),
  userId: required(integer(), 'The user of the request.'),
  phone: required(nullable(text()), 'Masked.'),
  phoneKey: required(nullable(text()), 'A keyed digest: the same for the same number.'),
  country: required(nullable(text()), 'ISO 3166 code.'),
  source: required(nullable(text()), 'The client address, or the subject of the token.'),
  evidence: required(nullable(text()), 'What the rule saw, in one sentence; null if the name of the rule is enough.'),
  figures: required(evidenceFigures, 'The figures of that sentence.'),
});

const decisions = record('GuardDecisions', { decisions: required(listOf(decision), 'The decisions.') });

export const guardDecisionsOperation = (control: GuardControl) =>
  operation({
    ...operatorRead,
    name: 'guard-decisions',
    method: 'GET',
    path: '/operator/guard/decisions',
    summary: 'List decisions',
    about:
      'What the rules refused, or would have refused. Newest first. Under attack single decisions are sampled; the totals of the rules are exact.',
    query: query({
      rule: optional(word(ruleNames), 'Only this rule.'),
      action: optional(word(actions), 'Only this action.'),
      userId: optional(int32(), 'Only this user.'),
      ...pageQuery,
    }),
    responses: { 200: { about: 'The decisions.', shape: decisions } },
    async handle({ query: { count, ...filter }, owner }) {
      const listed = await control.decisions({ ...filter, limit: count }, owner);
      return reply(200, decisions, {
        decisions: listed.map(({ evidence, ...decision }) => ({
          ...decision,
          evidence: evidence && describeEvidence(evidence),
          figures: evidence,
        })),
      });
    },
  });
