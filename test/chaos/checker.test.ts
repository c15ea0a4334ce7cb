/** The checker of the fault test finds what it is there for, in histories that were made up. */
import { describe, expect, it } from 'vitest';

const { checkHistory, createReport } = await import(new URL('../../chaos/checker.js', import.meta.url).href);

const { isChangePhone, possiblePhones } = await import(new URL('../../chaos/changes.js', import.meta.url).href);

interface Call {
  operation: string;
  status: number;
  [member: string]: unknown;
}

const phone = '+447400000001';
const text = {
  gateway: 'twilio',
  behaviour: 'accept',
  phone,
  userId: 1,
  codeNumber: 1,
  code: '123456',
  isDelivered: true,
};

/** Each call takes a second, one after the other, unless it says otherwise. */
function rulesBroken(calls: Call[], texts: Record<string, unknown>[] = []): string[] {
  const timed = calls.map((call, index) => {
    const at = index * 2000;
    return { at, clock: at, endedAt: at + 1000, endedClock: at + 1000, userId: 1, phone, ...call };
  });
  const noted = texts.map(
    (each, index) => ({ at: index, clock: index, latestClock: index, ...each }) as { userId?: number; phone?: string },
  );
  const history = {
    calls: timed,
    texts: noted,
    lines: [],
    textsOf: (userId: number) => noted.filter((each) => each.userId === userId && !isChangePhone(each.phone ?? '')),
    changeTextsOf: (userId: number) =>
      noted.filter((each) => each.userId === userId && isChangePhone(each.phone ?? '')),
  };
  const report = createReport() as { violations: { rule: string }[] };
  checkHistory(history, report);
  return [...new Set(report.violations.map(({ rule }) => rule))];
}

const sends = (count: number, isCodeSent = true) =>
  Array.from({ length: count }, () => ({ operation: 'send', status: 204, isCodeSent }));
const sendsOf = (userId: number, count: number) => sends(count).map((send) => ({ ...send, userId }));
const verify = (status: number, members = {}) => ({
  operation: 'verify',
  status,
  code: '123456',
  ...(status === 400 && { reason: 'invalid-code' }),
  ...members,
});

const newPhone = '+447500000001';
const changeText = { ...text, phone: newPhone, codeNumber: 2, code: '246810' };
const verifyChange = (status: number, members = {}) =>
  verify(status, { operation: 'verify change', phone: newPhone, code: '246810', ...members });

describe('the checker', () => {
  it('accepts what the contract allows', () => {
    expect(rulesBroken([...sends(5), { operation: 'send', status: 429 }, verify(200)], [text])).toEqual([]);
    // One user takes at most half of a phone's budget from the others.
    expect(rulesBroken([...sends(5), ...sendsOf(2, 2)])).toEqual([]);
    expect(rulesBroken([verify(200), verify(400)], [text])).toEqual([]);
    expect(rulesBroken([verify(200), ...sends(7, false)], [text])).toEqual([]);
    expect(rulesBroken([verify(0), verify(400)], [text])).toEqual([]);
    expect(rulesBroken([verify(503, { reason: 'database-unavailable' }), verify(400)], [text])).toEqual([]);
    expect(rulesBroken([verify(400)], [text, { ...text, codeNumber: 2, code: '654321' }])).toEqual([]);
    expect(rulesBroken([verify(400, { clock: 700_000, endedClock: 700_001 })], [text])).toEqual([]);
    expect(rulesBroken([{ operation: 'list', status: 200, known: 3, count: 3 }])).toEqual([]);
    expect(rulesBroken([verify(200), verifyChange(200), verifyChange(400)], [text, changeText])).toEqual([]);
    expect(rulesBroken([verifyChange(400, { userId: 2 }), verifyChange(200)], [changeText])).toEqual([]);
  });

  it.each([
    ['no code is used twice', [verify(200), verify(200)], [text]],
    ['a code that arrived works', [verify(400)], [text]],
    ['no budget is passed', sends(6), []],
    ['no budget is passed', [...sends(5), ...sendsOf(2, 3)], []],
    ['no budget is passed', [...sends(5), { operation: 'send', status: 503, reason: 'send-outcome-unknown' }], []],
    [
      'no budget is passed, by codes at the gateways',
      [],
      Array.from({ length: 6 }, (_, index) => ({ ...text, codeNumber: index + 1 })),
    ],
    ['no budget is passed, by texts', [], Array.from({ length: 16 }, () => text)],
    ['nobody is refused too early', [...sends(4), { operation: 'send', status: 429 }], []],
    ['no number is changed with a wrong code', [verifyChange(200, { isWrong: true })], [changeText]],
    ['no code of a change is used twice', [verifyChange(200), verifyChange(200)], [changeText]],
    ['a code of a change that arrived works', [verifyChange(400)], [changeText]],
    ['no unexpected answer', [{ operation: 'list', status: 500 }], []],
    ['no request hangs', [{ operation: 'list', status: 200, endedAt: 61_000 }], []],
    ['nothing acknowledged is lost (list)', [{ operation: 'list', status: 200, known: 3, count: 2 }], []],
    ['nothing acknowledged is lost (list)', [{ operation: 'list', status: 404, known: 1 }], []],
    ['nothing acknowledged is lost (sync)', [{ operation: 'sync', status: 200, known: 3, missing: 1 }], []],
    ['no row is doubled (sync)', [{ operation: 'sync', status: 200, known: 1, doubled: 1 }], []],
    ['no row is doubled (list)', [{ operation: 'list', status: 200, known: 1, count: 1, doubled: 1 }], []],
    [
      'every count equals the rows (list)',
      [{ operation: 'list', status: 200, known: 0, count: 2, isComplete: false }],
      [],
    ],
  ] as const)('finds: %s', (rule, calls, texts) => {
    expect(rulesBroken([...calls], [...texts])).toEqual([rule]);
  });

  it('knows which number a user may have: the old or the new, and none only after an unlink', () => {
    const phonesAfter = (...calls: Call[]) => [...possiblePhones(calls.map((call) => ({ phone, ...call })))];
    const unlink = (status: number) => ({ operation: 'unlink', status });
    expect(phonesAfter()).toEqual([null]);
    expect(phonesAfter(verify(200))).toEqual([phone]);
    expect(phonesAfter(verify(200), verifyChange(400))).toEqual([phone]);
    expect(phonesAfter(verify(200), verifyChange(0))).toEqual([phone, newPhone]);
    expect(phonesAfter(verify(200), verifyChange(503, { reason: 'database-unavailable' }))).toEqual([phone, newPhone]);
    expect(phonesAfter(verify(200), verifyChange(0), verifyChange(200))).toEqual([newPhone]);
    expect(phonesAfter(verify(200), verifyChange(200), unlink(0))).toEqual([newPhone, null]);
    expect(phonesAfter(verify(200), unlink(204))).toEqual([null]);
  });
});
