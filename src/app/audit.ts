/** Wires the audit of what operators do. */
import { createAudit } from '../audit/audit.ts';
import { createAuditStore } from '../audit/audit.store.ts';
import type { Core } from './core.ts';

export function openAudit({ db, clock, observer, traced }: Core) {
  return createAudit(traced('audit', createAuditStore(db)), clock, observer.observe);
}
