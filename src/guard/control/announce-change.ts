/**
 * What happens after an operator has changed the guard: the change is observed, and every process reads the new state.
 */
import type { Observe } from '../../monitoring/observe.ts';
import type { Operator, OperatorActionName } from '../../audit/operator-actions.ts';

export type AnnounceChange = (who: Operator, action: OperatorActionName, target: string) => Promise<void>;

/** `refresh` is absent if no service runs in this process. */
export function createAnnounceChange(observe: Observe, refresh: (() => Promise<void>) | undefined): AnnounceChange {
  return async function announceChange(who, action, target) {
    observe({ kind: 'operator-action', subject: who.subject, action, target });
    await refresh?.();
  };
}
