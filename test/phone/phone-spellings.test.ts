/** One phone has one key, also where libphonenumber knows it by two numbers: in Argentina and in Mexico. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalSpelling, parsePhoneNumber } from '../../src/values/phone-number.ts';
import { refusal, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('a phone number', () => {
  it.each([
    ['+5491123456789', '+5491123456789', 'AR', 'MOBILE'],
    ['+541123456789', '+5491123456789', 'AR', 'MOBILE'],
    ['+54111523456789', '+5491123456789', 'AR', 'MOBILE'],
    ['+543514123456', '+5493514123456', 'AR', 'MOBILE'],
    ['+548001234567', '+548001234567', 'AR', 'TOLL_FREE'],
    ['+546001234567', '+546001234567', 'AR', 'PREMIUM_RATE'],
    ['+525512345678', '+525512345678', 'MX', 'FIXED_LINE_OR_MOBILE'],
    ['+5215512345678', '+525512345678', 'MX', 'FIXED_LINE_OR_MOBILE'],
    ['+5218001234567', '+528001234567', 'MX', 'TOLL_FREE'],
    ['+521551234567', '+521551234567', undefined, undefined],
    ['+4407400123456', '+447400123456', 'GB', 'MOBILE'],
  ])('%s is %s', (text, e164, country, type) => {
    expect(parsePhoneNumber(text)).toEqual({ e164, country, type });
  });

  it('has a canonical spelling that does not change when it is read again', () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
    const prefix = fc.constantFrom('+54', '+549', '+5411', '+5491', '+52', '+521', '+44');
    const number = fc.tuple(prefix, fc.integer({ min: 6, max: 12 }).chain(digits)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(number, (text) => {
        expect(canonicalSpelling(canonicalSpelling(text))).toBe(canonicalSpelling(text));
      }),
    );
  });
});

describe.each([
  ['Argentina', '+5491123450001', '+541123450001'],
  ['Argentina', '+541123450002', '+5491123450002'],
  ['Mexico', '+525512340001', '+5215512340001'],
  ['Mexico', '+5215512340002', '+525512340002'],
])('in %s %s and %s are one phone', (_country, first, second) => {
  it('which only one user can have', async () => {
    const id = await service.verifiedUser(first);
    const other = await service.createUser();
    const answer = await service.sendCode(other, second);
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone already registered'));
    const status = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
    expect(status.json).toMatchObject({ isPhoneNumberVerified: true, phoneNumber: parsePhoneNumber(first)!.e164 });
    expect(await service.messages(first)).toEqual(await service.messages(second));
  });
});
