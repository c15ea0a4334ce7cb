/** Confirmations in the fault test: what the users do with them, and what must not have happened. */
import { setTimeout as sleep } from 'node:timers/promises';

const confirmationMilliseconds = 300_000;
const attemptsOfOne = 5;
/** A confirmation is stored before its text reaches a gateway; in between a process may be stopped. */
const dispatchMilliseconds = 30_000;

let nextAmount = 0;

/** Creates a confirmation and checks it, sometimes with a wrong code, other terms, or twice at once. */
export function createConfirm({ world, call, anyService, pauseMilliseconds }) {
  /** Whether this user is done: without a verified phone, or out of budget. */
  return async function confirmOnce(drawn, userId) {
    nextAmount += 1;
    const terms = { amount: `${nextAmount}.25`, currency: 'EUR', payee: 'Corner Shop' };
    const headers = drawn.isTrue(0.4) ? { 'idempotency-key': `confirm-${userId}-${nextAmount}` } : {};
    const create = () =>
      call(
        'confirm',
        anyService(drawn),
        `/User/${userId}/confirmations`,
        { purpose: 'payment', ...terms },
        {
          note: { userId, amount: terms.amount, key: headers['idempotency-key'] },
          headers,
        },
      );
    let created = await create();
    if (headers['idempotency-key'] && (created.status === 0 || created.status === 503)) created = await create();
    await sleep(pauseMilliseconds);
    if (created.status === 400 || created.status === 404 || created.status === 429) return true;
    const confirmationId = created.json?.confirmationId ?? created.location?.split('/').at(-1);
    const text = world.history.confirmationText(terms.amount);
    if (!confirmationId || !text?.isDelivered) return false;
    const isWrong = drawn.isTrue(0.15);
    const code = isWrong ? String((Number(text.code) + 1) % 1_000_000).padStart(6, '0') : text.code;
    const check = (service, isOther) =>
      call(
        'check',
        service,
        `/User/${userId}/confirmations/${confirmationId}/check`,
        { code, ...terms, ...(isOther && { amount: '0.01' }) },
        { note: { userId, confirmationId, amount: terms.amount, code, isWrong, isOther } },
      );
    if (drawn.isTrue(0.3)) await Promise.all([check(0, false), check(1, drawn.isTrue(0.5))]);
    else await check(anyService(drawn), drawn.isTrue(0.1));
    await sleep(pauseMilliseconds);
    return false;
  };
}

/** A connection that breaks at the commit leaves open whether it happened. */
const mayHaveHappened = ({ status, reason }) => status === 0 || reason === 'database-unavailable';

export function checkConfirmations(history, report) {
  const byId = new Map();
  for (const call of history.calls) {
    if (call.operation === 'check') byId.set(call.confirmationId, [...(byId.get(call.confirmationId) ?? []), call]);
  }
  for (const [confirmationId, checks] of byId) {
    const approved = checks.filter(({ status }) => status === 200);
    if (approved.length > 1) report.add('no confirmation is approved twice', { confirmationId, calls: approved });
    for (const call of approved) {
      if (call.isOther || call.isWrong) report.add('no confirmation is approved with other terms', { call });
    }
    for (const call of checks) checkRefusal(history, checks, call, report);
  }
}

/** A code that arrived must work, unless the history knows a reason why not. */
function checkRefusal(history, checks, call, report) {
  if (call.reason !== 'invalid-code' || call.isOther || call.isWrong) return;
  const text = history.confirmationText(call.amount);
  const isExpired = call.endedClock > text.clock + confirmationMilliseconds - dispatchMilliseconds;
  const before = checks.filter((other) => other !== call && other.at < call.endedAt);
  const isEnded = before.some((other) => other.isOther || other.status === 200 || mayHaveHappened(other));
  if (!isExpired && !isEnded && before.length < attemptsOfOne) {
    report.add('the code of a confirmation that arrived works', { call, text });
  }
}

/** Compares what was approved with what the database holds. */
export async function checkStoredConfirmations(history, sql, report) {
  const rows = await sql`select confirmation_id::text as id, state::text, sealed_terms, code_digest from confirmations`;
  const stored = new Map(rows.map((row) => [row.id, row]));
  for (const { operation, status, confirmationId } of history.calls) {
    if (operation === 'check' && status === 200 && stored.get(confirmationId)?.state !== 'approved') {
      report.add('nothing acknowledged is lost (confirmation)', { confirmationId });
    }
  }
  for (const { id, state, sealed_terms, code_digest } of rows) {
    if (state !== 'pending' && (sealed_terms !== null || code_digest !== null)) {
      report.add('the terms of a confirmation end with it', { id, state });
    }
  }
}
