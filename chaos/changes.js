/** Changes of number in the fault test: what the users do, and that each keeps exactly one verified number. */
import { setTimeout as sleep } from 'node:timers/promises';

/** New numbers have a prefix of their own, by which their texts are told from those of verifications. */
const prefix = '+4475';
const codeMilliseconds = 600_000;
const codeAttempts = 5;
/** A send is reserved before its text reaches a gateway; in between a process may be stopped. */
const dispatchMilliseconds = 30_000;

export const isChangePhone = (phone) => phone.startsWith(prefix);

/** Changes the number of a verified user, sometimes with a wrong code, twice at once, or to a number that another wants. */
export function createChange({ world, call, anyService, pauseMilliseconds }) {
  let nextPhone = 0;
  let wanted;

  function drawPhone(drawn) {
    if (!wanted || !drawn.isTrue(0.15)) {
      nextPhone += 1;
      wanted = `${prefix}${String(nextPhone).padStart(8, '0')}`;
    }
    return wanted;
  }

  /** Whether this user is done: without a verified phone, or out of budget. */
  return async function changeOnce(drawn, userId) {
    const phone = drawPhone(drawn);
    const path = `/User/${userId}/phone-number/change`;
    const asked = await call('change', anyService(drawn), path, { phoneNumber: phone }, { note: { userId, phone } });
    await sleep(pauseMilliseconds);
    if ([400, 404, 429].includes(asked.status)) return true;
    const text = world.history.changeTextsOf(userId).findLast((each) => each.phone === phone && each.isDelivered);
    if (!text) return false;
    const isWrong = drawn.isTrue(0.15);
    const code = isWrong ? String((Number(text.code) + 1) % 1_000_000).padStart(6, '0') : text.code;
    const verify = (service) =>
      call('verify change', service, `${path}/verify`, { code }, { note: { userId, phone, code, isWrong } });
    if (drawn.isTrue(0.3)) await Promise.all([verify(0), verify(1)]);
    else await verify(anyService(drawn));
    await sleep(pauseMilliseconds);
    if (!drawn.isTrue(0.1)) return false;
    await call('unlink', anyService(drawn), `/User/${userId}/phone-number`, undefined, {
      note: { userId },
      method: 'DELETE',
    });
    return true;
  };
}

/** A connection that breaks at the commit leaves open whether it happened. */
const mayHaveHappened = ({ status, reason }) => status === 0 || reason === 'database-unavailable';

export function checkChanges(history, report) {
  const verifies = history.calls.filter(({ operation }) => operation === 'verify change');
  for (const call of verifies) {
    if (call.status === 200 && call.isWrong) report.add('no number is changed with a wrong code', { call });
    const twins = verifies.filter(
      (other) => other.userId === call.userId && other.phone === call.phone && other.code === call.code,
    );
    if (call.status === 200 && twins.some((other) => other !== call && other.status === 200)) {
      report.add('no code of a change is used twice', { call });
    }
    if (call.reason === 'invalid-code' && !call.isWrong) checkRefusal(history, verifies, call, report);
  }
}

/** A code that arrived must work, unless the history knows a reason why not. */
function checkRefusal(history, verifies, call, report) {
  const texts = history.changeTextsOf(call.userId).filter(({ at }) => at <= call.endedAt);
  const text = texts.find(({ phone, code, isDelivered }) => isDelivered && phone === call.phone && code === call.code);
  // A gateway may have accepted a newer one.
  if (!text || texts.some((other) => other.codeNumber > text.codeNumber && other.behaviour !== 'refuse')) return;
  const isExpired = call.endedClock > text.clock + codeMilliseconds - dispatchMilliseconds;
  const before = verifies.filter(
    (other) => other !== call && other.userId === call.userId && other.at < call.endedAt && other.at >= text.at,
  );
  const isUsed = before.some((other) => other.status === 200 || mayHaveHappened(other));
  const isShared = verifies.some(({ userId, phone }) => phone === call.phone && userId !== call.userId);
  if (!isExpired && !isUsed && !isShared && before.length < codeAttempts) {
    report.add('a code of a change that arrived works', { call, text });
  }
}

/** The numbers that a user may have at the end, by what was answered: null for none. */
export function possiblePhones(calls) {
  let possible = new Set([null]);
  for (const { operation, status, phone, ...call } of calls) {
    const isLink = operation === 'verify' || operation === 'verify change';
    if (!isLink && operation !== 'unlink') continue;
    const outcome = isLink ? phone : null;
    if (status === (isLink ? 200 : 204)) possible = new Set([outcome]);
    else if (mayHaveHappened({ status, ...call })) possible.add(outcome);
  }
  return possible;
}
