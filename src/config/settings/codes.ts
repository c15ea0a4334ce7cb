/** Codes and test numbers. */
import { fail, integer, type Kind, list, setting, yesOrNo } from '../../formats/setting-kinds.ts';
import { type TestNumber } from '../../codes/test-numbers.ts';
import { parsePhoneNumber } from '../../values/phone-number.ts';

const testNumberList: Kind<TestNumber[]> = {
  form: '+number=code@date, separated by commas; the date is the last day, UTC',
  parse: (value) =>
    list.parse(value).map((item, index) => {
      const match = /^(\+\d+)=(\d{4,10})@(\d{4}-\d\d-\d\d)$/.exec(item);
      const e164 = match && parsePhoneNumber(match[1]!)?.e164;
      const day = match ? Date.parse(`${match[3]}T00:00:00Z`) : Number.NaN;
      if (!e164 || Number.isNaN(day)) {
        return fail(`has item ${index + 1} in another form than +15005550006=123456@2030-12-31`);
      }
      return { e164, code: match[2]!, until: new Date(day + 86_400_000) };
    }),
};

export const codesSettings = {
  codeDigits: setting({
    env: 'LEDGERLINE_CODE_DIGITS',
    kind: integer(4, 10),
    default: 6,
    about: 'Digits of a code.',
  }),
  codeSeconds: setting({
    env: 'LEDGERLINE_CODE_SECONDS',
    kind: integer(30, 86400),
    default: 600,
    about: 'Lifetime of a code. A resend starts it anew, until 30 minutes after the code was first sent.',
  }),
  confirmationSeconds: setting({
    env: 'LEDGERLINE_CONFIRMATION_SECONDS',
    kind: integer(30, 86400),
    default: 300,
    about: 'Lifetime of the code of a confirmation.',
  }),
  changeConfirmed: setting({
    env: 'LEDGERLINE_CHANGE_CONFIRMED',
    kind: yesOrNo,
    default: false,
    about:
      'Whether a change of number with a service token needs an approved confirmation too. With a user-bound token it always does.',
  }),
  changeNotice: setting({
    env: 'LEDGERLINE_CHANGE_NOTICE',
    kind: yesOrNo,
    default: true,
    about: 'Whether the old number gets a text when it was replaced.',
  }),
  codeAttempts: setting({
    env: 'LEDGERLINE_CODE_ATTEMPTS',
    kind: integer(1, 100),
    default: 5,
    about: 'Attempts at one code. After the last wrong one the code is no longer valid.',
  }),
  testNumbers: setting({
    env: 'LEDGERLINE_TEST_NUMBERS',
    kind: testNumberList,
    secret: true,
    about: 'Numbers with a fixed code, for app review. No text is sent to them.',
  }),
  testNumbersInProduction: setting({
    env: 'LEDGERLINE_TEST_NUMBERS_IN_PRODUCTION',
    kind: yesOrNo,
    default: false,
    about: 'Allows test numbers in production.',
  }),
};
