/** `ledgerline guard decisions`: lists what the rules refused, or would have refused. */
import { StartError } from '../../errors.ts';
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardDecisions = (options: { rule?: string; shadow?: boolean; user?: string; count: string }) =>
  withGuardControl(async (control) => {
    const number = (name: string, value: string, limit: number) => {
      const read = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : 0;
      if (read < 1 || read > limit) throw new StartError(`${name} must be an integer from 1 to ${limit}.`);
      return read;
    };
    const decisions = await control.decisions({
      rule: options.rule,
      action: options.shadow ? 'shadow' : undefined,
      userId: options.user === undefined ? undefined : number('--user', options.user, 2_147_483_647),
      before: undefined,
      limit: number('--count', options.count, 500),
    });
    table([
      ['time', 'rule', 'action', 'operation', 'user', 'phone', 'country', 'source', 'evidence'],
      ...decisions.map((decision) => [
        decision.at.toISOString(),
        decision.rule,
        decision.action,
        decision.operation,
        decision.userId,
        decision.phone,
        decision.country,
        decision.source,
        decision.evidence,
      ]),
    ]);
  });
