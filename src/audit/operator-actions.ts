/** Every action that is audited: by an operator over HTTP, or from the command line. Each has a label in the console. */
export const operatorActions = [
  'set-mode',
  'lift',
  'add-safe',
  'remove-safe',
  'reveal-phone',
  'find-users',
  'list-transactions',
  'free-phone',
  'erase-user',
  'read-user-data',
  'export-erased',
  'run-retention',
  'create-webhook-endpoint',
  'update-webhook-endpoint',
  'enable-webhook-endpoint',
  'disable-webhook-endpoint',
  'delete-webhook-endpoint',
  'rotate-webhook-secret',
  'replay-webhook-events',
] as const;

export type OperatorActionName = (typeof operatorActions)[number];

/** The person who acts, as the audit records it. */
export interface Operator {
  subject: string;
  client: string;
  /** Why the operator acts, in the operator's words. */
  reason?: string | undefined;
}
