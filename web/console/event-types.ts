/** The types of events. */
import type { EventType } from '../../client/index.ts';

/** In the order of the reference. The compiler reports a missing one. */
export const eventTypes = Object.keys({
  'user.created': true,
  'user.erased': true,
  'phone.code_sent': true,
  'phone.send_failed': true,
  'phone.delivery_changed': true,
  'phone.verified': true,
  'phone.changed': true,
  'phone.unlinked': true,
  'confirmation.approved': true,
  'confirmation.failed': true,
  'phone.verification_blocked': true,
  'phone.block_lifted': true,
  'transactions.recorded': true,
  'transactions.updated': true,
  'guard.rule_fired': true,
  'gateway.down': true,
  'gateway.up': true,
  'operator.acted': true,
  'endpoint.disabled': true,
  'endpoint.delivery_failed': true,
} satisfies Record<EventType, true>) as EventType[];
