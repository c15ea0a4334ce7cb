/** `ledgerline guard decisions`: lists what the rules refused, or would have refused. */
import { describeEvidence } from '../../guard/evidence.ts';
import { readNumber } from '../read-number.ts';
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';
import { readRule } from './read-rule.ts';

export const guardDecisions = (options: { rule?: string; shadow?: boolean; user?: string; count: string }) =>
  withGuardControl(async (control) => {
    const decisions = await control.decisions({
      rule: options.rule === undefined ? undefined : readRule(options.rule),
      action: options.shadow ? 'shadow' : undefined,
      userId: options.user === undefined ? undefined : readNumber('--user', options.user),
      before: undefined,
      limit: readNumber('--count', options.count, 500),
    });
    table(decisions, {
      time: 'at',
      rule: 'rule',
      action: 'action',
      operation: 'operation',
      user: 'userId',
      phone: 'phone',
      country: 'country',
      source: 'source',
      evidence: ({ evidence }) => evidence && describeEvidence(evidence),
    });
  });
