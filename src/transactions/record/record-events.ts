/** The events of a batch: one for the new and one for the changed transactions of each individual. */
import { listedTransactions, type EventType } from '../../events/catalogue.ts';
import type { BatchPlan } from './record-rules.ts';
import type { Row } from '../row.ts';

export interface TransactionEvent {
  individualId: number;
  sequence: number;
  type: EventType;
  /** JSON text. */
  data: string;
}

/** How many events of transactions each individual has had. */
export type EventCounts = Map<number, number>;

/** Takes the next sequence numbers from `counts`. */
export function eventsOfBatch({ created, updated }: BatchPlan, counts: EventCounts): TransactionEvent[] {
  const changed = updated.map(({ to }) => to);
  return [
    ...groupsOf(created, listedTransactions.recorded).map(([individualId, { count, listed }]) =>
      makeEvent('transactions.recorded', individualId, counts, { count, ...listing(count, listed) }),
    ),
    ...groupsOf(changed, listedTransactions.updated).map(([individualId, { count, listed }]) =>
      makeEvent('transactions.updated', individualId, counts, listing(count, listed)),
    ),
  ];
}

interface Group {
  count: number;
  listed: string[];
}

function groupsOf(rows: readonly Row[], listLimit: number): [number, Group][] {
  const groups = new Map<number, Group>();
  for (const { individualId, transactionId } of rows) {
    let group = groups.get(individualId);
    if (!group) groups.set(individualId, (group = { count: 0, listed: [] }));
    group.count += 1;
    if (group.listed.length < listLimit) group.listed.push(transactionId);
  }
  return [...groups];
}

function listing(count: number, listed: string[]) {
  return { transactionIds: listed, more: count > listed.length };
}

function makeEvent(type: EventType, individualId: number, counts: EventCounts, data: object): TransactionEvent {
  const sequence = counts.get(individualId)! + 1;
  counts.set(individualId, sequence);
  return { individualId, sequence, type, data: JSON.stringify({ userId: individualId, ...data }) };
}
