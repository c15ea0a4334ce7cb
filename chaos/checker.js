/** Reads the whole history, and the database as it ended up, and says what must not have happened. */
import { setTimeout as sleep } from 'node:timers/promises';
import { checkChanges, possiblePhones } from './changes.js';
import { checkConfirmations, checkStoredConfirmations } from './confirmations.js';
import { hangMilliseconds } from './crowd.js';

const budget = { count: 5, milliseconds: 600_000 };
const dayBudget = { count: 10, milliseconds: 86_400_000 };
const codeMilliseconds = 600_000;
const codeAttempts = 5;
/** A send is reserved before its text reaches a gateway; in between a process may be stopped, or wait for others. */
const dispatchMilliseconds = 30_000;
const gatewayCount = 3;
/** How long events may wait in the outboxes after the last call. */
const eventMilliseconds = 30_000;
const violationsKept = 200;

const expectedStatuses = new Set([0, 200, 201, 204, 400, 401, 404, 429, 503]);

export function createReport() {
  const violations = [];
  let count = 0;
  return {
    violations,
    get count() {
      return count;
    },
    add(rule, details) {
      count += 1;
      if (violations.length < violationsKept) violations.push({ rule, ...details });
    },
  };
}

export function checkHistory(history, report) {
  checkAnswers(history, report);
  for (const { service, line } of history.lines.filter(isUncaught)) report.add('no uncaught error', { service, line });
  const verifies = history.calls.filter(({ operation }) => operation === 'verify');
  const byPhone = groupBy(verifies, 'phone');
  for (const calls of groupBy(verifies, 'userId').values()) checkUser(history, calls, byPhone, report);
  checkBudgets(history, report);
  checkLists(history, report);
  checkSyncs(history, report);
  checkConfirmations(history, report);
  checkChanges(history, report);
}

/** An error that nothing handled. A defect that was answered with 500 is counted by its answer. */
export const isUncaught = ({ line }) => !line.includes('"msg":"defect"');

const isUnexpected = ({ status }) => status !== undefined && !expectedStatuses.has(status);

/** While the run goes on: the other rules can be checked only at its end. */
export function countUnexpected({ calls }) {
  return calls.filter(isUnexpected).length;
}

function checkAnswers({ calls }, report) {
  for (const call of calls) {
    if (call.status === undefined) report.add('every request ends', call);
    else if (isUnexpected(call)) report.add('no unexpected answer', call);
    if (call.endedAt - call.at >= hangMilliseconds || call.reason === 'hang') report.add('no request hangs', call);
  }
}

function checkUser(history, verifies, byPhone, report) {
  const successes = verifies.filter(({ status }) => status === 200);
  if (successes.length > 1) report.add('no code is used twice', { userId: successes[0].userId, calls: successes });
  for (const call of verifies) {
    if (call.status === 400 && call.reason === 'invalid-code') checkRefusal(history, verifies, byPhone, call, report);
  }
}

/** A connection that breaks at the commit leaves open whether it happened: the answer is a 503, or none at all. */
function mayHaveVerified({ status, reason }) {
  return status === 200 || status === 0 || reason === 'database-unavailable';
}

/** A code that arrived must work, unless the history knows a reason why not. */
function checkRefusal(history, verifies, byPhone, call, report) {
  const texts = history.textsOf(call.userId).filter(({ at }) => at <= call.endedAt);
  const text = texts.find(({ code, isDelivered }) => isDelivered && code === call.code);
  if (!text) return;
  // A gateway may have accepted a newer one.
  if (texts.some((other) => other.codeNumber > text.codeNumber && other.behaviour !== 'refuse')) return;
  const same = texts.filter(({ codeNumber }) => codeNumber === text.codeNumber);
  const isExpired =
    call.endedClock > Math.min(...same.map(({ clock }) => clock)) + codeMilliseconds - dispatchMilliseconds;
  const before = verifies.filter((other) => other !== call && other.at < call.endedAt);
  const isUsed = before.some((other) => other.code === call.code && mayHaveVerified(other));
  const attempts = before.filter(({ at }) => at >= same[0].at).length;
  const isShared = byPhone.get(call.phone).some(({ userId }) => userId !== call.userId);
  if (!isExpired && !isUsed && !isShared && attempts < codeAttempts) {
    report.add('a code that arrived works', { call, text });
  }
}

function checkBudgets(history, report) {
  const sends = history.calls.filter(({ operation }) => operation === 'send');
  // A user with transactions is established, and newcomers take nothing from such a one.
  const established = new Set(history.calls.flatMap(({ individualId = [] }) => individualId));
  for (const member of ['userId', 'phone']) {
    for (const [key, calls] of groupBy(sends, member)) {
      for (const limit of [budget, dayBudget]) {
        for (const passing of findPassing(calls.filter(isCounted), limit, established)) {
          report.add('no budget is passed', { [member]: key, ...passing });
        }
      }
    }
  }
  checkEarlyRefusals(sends, report);
  for (const userId of new Set(history.texts.map((text) => text.userId))) checkTexts(history.textsOf(userId), report);
}

/** The sends that found the budget used up, each with the first of its window. */
function findPassing(sends, { count, milliseconds }, established) {
  return sends.flatMap((last, index) => {
    const before = sends.slice(0, index).filter(({ clock }) => last.endedClock - clock < milliseconds);
    const own = before.filter(({ userId }) => userId === last.userId);
    const others = established.has(last.userId) ? [] : before.filter((send) => !own.includes(send));
    return own.length + countOthers(others, count) < count ? [] : [{ first: before[0], last }];
  });
}

/** What is used of a phone's budget by other users: each takes at most half of it. */
function countOthers(sends, limit) {
  const half = Math.ceil(limit / 2);
  return [...groupBy(sends, 'userId').values()].reduce((sum, { length }) => sum + Math.min(half, length), 0);
}

/** An Idempotency-Key gives an earlier answer again, so a repeated one is no second send. */
function isCounted({ status, reason, key, isCodeSent }, index, calls) {
  const isRepeated =
    key !== undefined && calls.slice(0, index).some((other) => other.key === key && other.status === 204);
  return (status === 204 && isCodeSent && !isRepeated) || (status === 503 && reason === 'send-outcome-unknown');
}

/** A 429 needs as many sends of the user or to the phone as the budget has; a call of unknown outcome may be one. */
function checkEarlyRefusals(sends, report) {
  const mayCount = sends.filter(({ status }) => [0, 204, 400, 503].includes(status));
  const groups = [
    ['userId', groupBy(mayCount, 'userId')],
    ['phone', groupBy(mayCount, 'phone')],
  ];
  for (const call of sends) {
    if (call.status !== 429) continue;
    const isBefore = (other) => other.at < call.endedAt;
    const counts = groups.map(([member, group]) => (group.get(call[member]) ?? []).filter(isBefore).length);
    if (Math.max(...counts) < budget.count) report.add('nobody is refused too early', { call, counts });
  }
}

function checkTexts(texts, report) {
  const numbers = new Map();
  for (const text of texts) if (!numbers.has(text.codeNumber)) numbers.set(text.codeNumber, text);
  const codes = [...numbers.values()].filter(({ behaviour }) => behaviour !== 'refuse');
  const window = budget.milliseconds - dispatchMilliseconds;
  const check = (items, count, rule) => {
    for (let index = 0; index + count < items.length; index += 1) {
      if (items[index + count].latestClock - items[index].clock < window) {
        report.add(rule, { first: items[index], last: items[index + count] });
      }
    }
  };
  check(codes, budget.count, 'no budget is passed, by codes at the gateways');
  check(
    texts.filter(({ behaviour }) => behaviour !== 'refuse' && behaviour !== 'twice'),
    budget.count * gatewayCount,
    'no budget is passed, by texts',
  );
}

function checkLists({ calls }, report) {
  for (const call of calls) {
    if (call.operation !== 'list') continue;
    if (call.status === 404 && call.known > 0) report.add('nothing acknowledged is lost (list)', call);
    if (call.status !== 200) continue;
    if (call.count < call.known || call.missing > 0) report.add('nothing acknowledged is lost (list)', call);
    if (call.doubled > 0) report.add('no row is doubled (list)', call);
    if (call.isComplete === false) report.add('every count equals the rows (list)', call);
  }
}

function checkSyncs({ calls }, report) {
  for (const call of calls) {
    if (call.operation !== 'sync') continue;
    if (call.missing > 0) report.add('nothing acknowledged is lost (sync)', call);
    if (call.doubled > 0) report.add('no row is doubled (sync)', call);
  }
}

/** Compares what was acknowledged with what the database holds. */
export async function checkDatabase(history, sql, report) {
  const users = new Set((await sql`select id from users`).map(({ id }) => id));
  for (const { operation, status, userId } of history.calls) {
    if (operation === 'create user' && status === 201 && !users.has(userId)) {
      report.add('nothing acknowledged is lost (user)', { userId });
    }
  }
  await checkRows(history, sql, report);
  await checkCounts(sql, report);
  await checkEvents(sql, report);
  await checkPhones(history, sql, report);
  await checkStoredConfirmations(history, sql, report);
}

async function checkRows(history, sql, report) {
  const stored = await sql`select individual_id, transaction_id, amount::text as amount from transactions`;
  const found = new Map();
  for (const { individual_id, transaction_id, amount } of stored) {
    if (found.has(transaction_id)) report.add('no row is doubled', { transaction_id });
    found.set(transaction_id, amount);
    const sent = history.rows.get(transaction_id);
    if (!sent || sent.individualId !== individual_id || sent.amount !== amount) {
      report.add('nothing is stored that nobody sent', { transaction_id, individual_id, amount });
    }
  }
  for (const { operation, isStored, rows } of history.calls) {
    if (operation !== 'record' || !isStored) continue;
    for (const row of rows) if (!found.has(row)) report.add('nothing acknowledged is lost (row)', { row });
  }
}

async function checkCounts(sql, report) {
  const wrong = await sql`
    select u.id, u.transaction_count, count(t.seq)::int as rows, coalesce(max(t.seq), 0) as last,
      (select sum(b.row_count)::int from transaction_blocks b where b.individual_id = u.id) as blocked
    from users u left join transactions t on t.individual_id = u.id
    group by u.id having u.transaction_count <> count(t.seq) or count(t.seq) <> coalesce(max(t.seq), 0)`;
  for (const row of wrong) report.add('every count equals the rows', row);
}

/** The services are still running, and log what waits in the outboxes. */
async function checkEvents(sql, report) {
  const isWaiting = async () => {
    const outboxes = [
      await sql`select id from event_outbox limit 1`,
      await sql`select id from user_event_outbox limit 1`,
    ];
    return outboxes.some(({ length }) => length > 0);
  };
  const until = Date.now() + eventMilliseconds;
  while (await isWaiting()) {
    if (Date.now() > until) return report.add('every event is logged', {});
    await sleep(500);
  }
  const logged = new Map(
    (
      await sql`
        select user_id, count(*)::int as count, count(distinct sequence)::int as numbers, max(sequence) as last
        from events where type like 'transactions.%' group by user_id`
    ).map(({ user_id, ...counts }) => [user_id, counts]),
  );
  for (const { id, events } of await sql`select id, transaction_event_count as events from users`) {
    const { count, numbers, last } = logged.get(id) ?? { count: 0, numbers: 0, last: 0 };
    if ([count, numbers, last].some((figure) => figure !== events)) {
      report.add('every change has one event', { id, events, count, numbers, last });
    }
  }
}

async function checkPhones(history, sql, report) {
  const verified = new Map(
    (await sql`select user_id, verified_phone from verifications where verified_phone is not null`).map((row) => [
      row.user_id,
      row.verified_phone,
    ]),
  );
  const links = new Map((await sql`select phone, user_id from phone_links`).map((row) => [row.phone, row.user_id]));
  for (const [userId, calls] of groupBy(history.calls, 'userId')) {
    const phone = verified.get(userId) ?? null;
    const possible = possiblePhones(calls);
    if (!possible.has(phone)) {
      report.add('a user has the number that was verified last', { userId, phone, possible: [...possible] });
    }
  }
  for (const [userId, phone] of verified) {
    if (links.get(phone) !== userId) report.add('a phone belongs to one user', { userId, phone });
  }
  for (const [phone, userId] of links) {
    if (verified.get(userId) !== phone) report.add('a phone belongs to one user', { userId, phone });
  }
}

function groupBy(items, member) {
  const groups = new Map();
  for (const item of items) {
    if (item[member] === undefined) continue;
    const group = groups.get(item[member]);
    if (group) group.push(item);
    else groups.set(item[member], [item]);
  }
  return groups;
}
