/** The texts of confirmations: what they name, in every language, and what a payee cannot do to them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { confirmationLanguages, createConfirmationTexts, formatAmount } from '../../src/sms/confirmation-text.ts';
import { createMessages } from '../../src/sms/message.ts';
import { safePayee } from '../../src/sms/safe-payee.ts';

function writer(settings: Record<string, string> = {}) {
  const config = loadConfig(settings);
  return createConfirmationTexts(config, createMessages(config));
}

const wanted = {
  locale: undefined,
  country: undefined,
  code: '012345',
  validSeconds: 300,
  purpose: 'payment',
  amount: '24.90',
  currency: 'EUR',
  payee: 'Corner Shop',
} as const;

describe('a text', () => {
  it.each(confirmationLanguages)('in %s names code, amount, currency and payee in at most two segments', (locale) => {
    const write = writer();
    const { text, segments, locale: used } = write({ ...wanted, locale });
    expect(used).toBe(locale);
    for (const part of ['012345', formatAmount('24.90', 'EUR', locale), 'EUR', 'Corner Shop', 'Ledgerline', '5']) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/[{}]/);
    expect(segments).toBeLessThanOrEqual(2);
    const change = write({
      ...wanted,
      locale,
      purpose: 'change-phone',
      amount: undefined,
      currency: undefined,
      payee: undefined,
    });
    expect(change.text).not.toBe(
      write({ ...wanted, locale, amount: undefined, currency: undefined, payee: undefined }).text,
    );
    const longest = write({ ...wanted, locale, amount: '99999999999999999999.999999', payee: 'M'.repeat(140) });
    expect(longest.segments).toBeLessThanOrEqual(2);
  });

  it('is in the eight languages of the pages, and in Dutch as the other texts', () => {
    expect(confirmationLanguages.toSorted()).toEqual(['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pt']);
  });

  it('names only what was given', () => {
    const write = writer();
    expect(write({ ...wanted, payee: undefined }).text).toBe(
      'Ledgerline: 012345 confirms 24.90 EUR. Valid for 5 min. Share it with nobody.',
    );
    expect(write({ ...wanted, amount: undefined, currency: undefined }).text).toBe(
      'Ledgerline: 012345 confirms Corner Shop. Valid for 5 min. Share it with nobody.',
    );
    expect(write({ ...wanted, purpose: 'change-phone' }).text).toContain('24.90 EUR, Corner Shop');
  });

  it('has the template of its purpose if that names exactly what was agreed to', () => {
    const write = writer({
      LEDGERLINE_TEMPLATES: JSON.stringify({
        'en/confirmation/payment': '{code} pays {amount} {currency} to {payee} ({brand}, {minutes})',
        'en/confirmation': 'Code {code}',
      }),
    });
    expect(write(wanted).text).toBe('012345 pays 24.90 EUR to Corner Shop (Ledgerline, 5)');
    // It would hide what the person agrees to, or name what there is not.
    expect(write({ ...wanted, purpose: 'top-up' }).text).toContain('24.90 EUR to Corner Shop');
    expect(write({ ...wanted, payee: undefined }).text).not.toContain('()');
    const plain = { amount: undefined, currency: undefined, payee: undefined };
    expect(write({ ...wanted, ...plain, purpose: 'login' }).text).toBe('Code 012345');
  });

  it('has the lines of WebOTP and Android, as that of a verification', () => {
    const write = writer({ LEDGERLINE_WEBOTP_HOST: 'pay.example.com', LEDGERLINE_ANDROID_HASH: 'FA+9qCX9VSu' });
    expect(write(wanted).text).toMatch(/\n\n@pay\.example\.com #012345 FA\+9qCX9VSu$/);
  });

  it('loses the end of the payee first if it would take more than two segments', () => {
    const write = writer({ LEDGERLINE_BRAND: 'B'.repeat(215) });
    const { text, segments } = write({ ...wanted, payee: 'Corner Shop at the End of a Long Road' });
    expect(segments).toBe(2);
    expect(text).toContain('24.90 EUR to Corner Shop at');
    expect(text).not.toContain('Long Road');
    expect(text).toContain('Share it with nobody.');
  });
});

describe('an amount', () => {
  it.each([
    ['24.9', 'EUR', 'en', '24.90'],
    ['24.9', 'EUR', 'de', '24,90'],
    ['1234567.5', 'EUR', 'fr', '1 234 567,50'],
    ['1234567.5', 'EUR', 'es', '1.234.567,50'],
    ['1234567.5', 'EUR', 'it', '1.234.567,50'],
    ['1234567.5', 'BRL', 'pt', '1.234.567,50'],
    ['2500', 'JPY', 'ja', '2,500'],
    ['2500', 'SAR', 'ar', '2,500.00'],
    ['0.123456', 'EUR', 'en', '0.123456'],
    ['1.5', 'KWD', 'en', '1.500'],
    ['99999999999999999999.999999', 'EUR', 'en', '99,999,999,999,999,999,999.999999'],
  ])('%s %s in %s is %s', (amount, currency, locale, formatted) => {
    expect(formatAmount(amount, currency, locale)).toBe(formatted);
  });
});

describe('a payee', () => {
  it.each([
    ['Corner Shop', 'Corner Shop'],
    ['Café Zoë & Söhne', 'Café Zoë & Söhne'],
    ['J.P. Morgan', 'J.P. Morgan'],
    ['Shop 24, Branch 1234', 'Shop 24, Branch 1234'],
    ['Магазин', 'Магазин'],
    ['食堂', '食堂'],
    ['O’Brien-Müller', 'O’Brien-Müller'],
    // White space.
    ['Corner  \t Shop', 'Corner Shop'],
    ['Corner\u00a0Shop\u3000', 'Corner Shop'],
    // Links.
    ['Pay https://evil.example/x?y=1 now', 'Pay now'],
    ['HTTPS://EVIL.EXAMPLE Shop', 'Shop'],
    ['Shop www.evil', 'Shop'],
    ['Shop evil.com', 'Shop'],
    ['Shop bit.ly/abc', 'Shop'],
    ['Shop evil。com', 'Shop'],
    ['Shop ｅｖｉｌ．ｃｏｍ', 'Shop'],
    ['Shop ev\u200bil.com', 'Shop'],
    ['Shop evil\u2024com', 'Shop'],
    ['Shop xn--pple-43d.com', 'Shop'],
    ['Shop 192.168.1.1/x', 'Shop'],
    ['Shop me@evil.com', 'Shop'],
    ['Shop me＠evil', 'Shop'],
    ['Shop tel:0900', 'Shop'],
    ['Shop javascript:alert(1)', 'Shop'],
    ['Shop évil.fr', 'Shop'],
    // Numbers to call, and numbers that could be taken for a code.
    ['Call +44 900 123456', 'Call'],
    ['Call 0900-12 34 56', 'Call'],
    ['Call (0900) 123.456', 'Call'],
    ['Your code is 999999', 'Your code is'],
    ['Code ９９９９９９', 'Code'],
    ['Code ٩٩٩٩٩٩', 'Code'],
    ['Code ①②③④⑤⑥', 'Code'],
    ['Code 9\u200b9\u200b9\u200b9\u200b9\u200b9', 'Code'],
    // Placeholders.
    ['{code} {brand}', '{code} {brand}'],
    // Letters that look alike.
    ['P\u0430ypal Shop', 'Shop'],
    ['\u0391pple Shop', 'Shop'],
    // Characters without width, and directions.
    ['Corner\u00ad Shop\u2060', 'Corner Shop'],
    ['Corner\u202e Shop', 'Corner Shop'],
    ['Z\u0300\u0301\u0302\u0303\u0304algo', 'Z\u0300\u0301algo'],
    // Nothing is left.
    ['evil.com', ''],
    ['\u200b\u200d', ''],
    // The length.
    ['x'.repeat(41), 'x'.repeat(40)],
    [`${'x'.repeat(39)}😀`, 'x'.repeat(39)],
  ])('%j is shown as %j', (payee, shown) => {
    expect(safePayee(payee)).toBe(shown);
  });

  it('of any text has no control or direction character, no link and no long number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 140 }), (payee) => {
        const shown = safePayee(payee);
        expect(shown.length).toBeLessThanOrEqual(40);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]|:\/\/|\p{Nd}{5}/u);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).toBe(shown.trim());
      }),
      { numRuns: 500 },
    );
  });

  it('that contains placeholders is shown as it is', () => {
    const { text } = writer()({ ...wanted, payee: '{code} {amount} $& $1' });
    expect(text).toBe(
      'Ledgerline: 012345 confirms 24.90 EUR to {code} {amount} $& $1. Valid for 5 min. Share it with nobody.',
    );
  });

  it('of which nothing can be shown is left out of the text', () => {
    expect(writer()({ ...wanted, payee: 'evil.com' }).text).toBe(
      'Ledgerline: 012345 confirms 24.90 EUR. Valid for 5 min. Share it with nobody.',
    );
  });
});
