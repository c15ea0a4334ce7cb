/** The operator who is signed in, and what the token allows. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OperatorFunctions, WebhookFunctions } from '../../client/index.ts';
import { claimsOf } from '../data/token-claims.ts';
import { t } from './texts.ts';

/** How often a view requests its values again while it is visible. */
export const refreshSeconds = 15;

export interface Operator {
  operations: OperatorFunctions;
  webhooks: WebhookFunctions;
  /** The stream of texts and verifications. It ends with the page, unlike a change. */
  followMessages: OperatorFunctions['liveMessages'];
  /** Whether the token has the scope operator:write. Controls that need it are disabled otherwise. */
  mayWrite: boolean;
  /** Whether it has the scope events:write, which changes of webhook endpoints need. */
  mayWriteEvents: boolean;
}

export const OperatorContext = createContext<Operator | undefined>(undefined);

export function useOperator(): Operator {
  return useContext(OperatorContext)!;
}

/** For a control that changes something: it is disabled, and says why, if the token does not allow that. */
export function useWriteRight(of?: 'webhooks'): { disabled: boolean; title: string | undefined } {
  const { mayWrite, mayWriteEvents } = useOperator();
  const [isAllowed, hint] =
    of === 'webhooks' ? [mayWriteEvents, t.common.readOnlyEventsHint] : [mayWrite, t.common.readOnlyHint];
  return { disabled: !isAllowed, title: isAllowed ? undefined : hint };
}

/** The name that the audit will show. */
export function subjectOf(token: string): string | undefined {
  const sub = claimsOf(token).sub;
  return typeof sub === 'string' ? sub : undefined;
}

/** Whether a token has a scope. True if the token does not list its scopes in a known way: then the service decides. */
export function hasScope(token: string, wanted: 'operator:write' | 'events:write'): boolean {
  const { scope, scp } = claimsOf(token);
  const scopes = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scp) ? scp : undefined;
  return scopes === undefined || scopes.includes(wanted);
}
