/** The words of a message, how they travel, and numbers that get none. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { encodingOf, gsmOctets, splitSegments, ucs2Octets } from '../../src/sms/encoding.ts';
import { createMessages } from '../../src/sms/message.ts';
import { createNotices } from '../../src/sms/notice-text.ts';
import { newPhone, serviceForTest, wrongCode } from '../harness/service.ts';

describe('the encoding', () => {
  it.each([
    ['a'.repeat(160), 'GSM-7', 160, 1],
    ['a'.repeat(161), 'GSM-7', 161, 2],
    ['a'.repeat(306), 'GSM-7', 306, 2],
    ['a'.repeat(307), 'GSM-7', 307, 3],
    ['€'.repeat(80), 'GSM-7', 160, 1],
    ['€'.repeat(81), 'GSM-7', 162, 2],
    // An escape is never parted from its letter: 152 septets and the next pair goes over.
    [`${'a'.repeat(152)}${'€'.repeat(10)}`, 'GSM-7', 172, 2],
    ['ñ@£$Ω{}[]~\\^|€', 'GSM-7', 23, 1],
    ['ж'.repeat(70), 'UCS-2', 70, 1],
    ['ж'.repeat(71), 'UCS-2', 71, 2],
    ['😀'.repeat(35), 'UCS-2', 70, 1],
    // 67 units a part, and a pair stays together: 33 pairs each.
    ['😀'.repeat(67), 'UCS-2', 134, 3],
    ['', 'GSM-7', 0, 1],
    ['ç', 'UCS-2', 1, 1],
    ['`', 'UCS-2', 1, 1],
  ])('of %j is %s with %i units in %i segments', (text, alphabet, units, segments) => {
    expect(encodingOf(text)).toEqual({ alphabet, units, segments });
  });

  it('has the codes of 3GPP TS 23.038', () => {
    expect([...gsmOctets('@£A a_à€\n')!]).toEqual([0, 1, 65, 32, 97, 17, 127, 27, 101, 10]);
    expect(ucs2Octets('ж€').toString('hex')).toBe('043620ac');
  });

  const gsmText = fc.string({ unit: fc.constantFrom(...Array.from('aA1 @£ñ€{}[]~\\^|')), maxLength: 500, size: 'max' });
  const anyText = fc.string({ unit: 'grapheme', maxLength: 500, size: 'max' });

  it('splits a text without losing or cutting a character', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText, anyText), (text) => {
        const { alphabet, parts } = splitSegments(text);
        const isGsm = alphabet === 'GSM-7';
        expect(Buffer.concat(parts)).toEqual(isGsm ? gsmOctets(text)! : ucs2Octets(text));
        const limit = parts.length === 1 ? (isGsm ? 160 : 140) : isGsm ? 153 : 134;
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          if (isGsm) expect(part.at(-1)).not.toBe(27);
          else expect(Buffer.from(part).swap16().toString('utf16le').isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a message', () => {
  const messages = (env: Record<string, string> = {}) => createMessages(loadConfig(env));
  const wanted = { locale: undefined, country: undefined, correlationType: 0, code: '012345', validSeconds: 600 };

  it.each(['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'])('comes in %s, in one segment', (locale) => {
    const written = messages().write({ ...wanted, locale });
    expect(written).toMatchObject({ locale, segments: 1 });
    expect(written.text).toContain('Ledgerline');
    expect(written.text).toContain('012345');
  });

  it('finds its words by locale and correlationType, and falls back step by step', () => {
    const { write } = messages({
      LEDGERLINE_LOCALE: 'fr; DE=de; BR=pt-BR',
      LEDGERLINE_TEMPLATES: JSON.stringify({
        'pt-BR': 'br {code}',
        'pt/1': 'pt merchant {code}',
        'de-AT/1': 'at merchant {code}',
        'fr/1': 'fr merchant {code}',
      }),
    });
    const words = (more: object) => write({ ...wanted, ...more }).text;
    expect(words({ locale: 'pt-BR' })).toBe('br 012345');
    expect(words({ locale: 'pt-br', correlationType: 1 })).toBe('br 012345');
    expect(words({ locale: 'pt-PT', correlationType: 1 })).toBe('pt merchant 012345');
    expect(words({ locale: 'de-AT', correlationType: 1 })).toBe('at merchant 012345');
    expect(words({ locale: 'de-AT' })).toContain('Ihr Bestätigungscode');
    expect(words({ locale: 'sw', correlationType: 1 })).toBe('fr merchant 012345');
    expect(words({ locale: 'sw' })).toContain('votre code');
    expect(words({ country: 'DE' })).toContain('Ihr Bestätigungscode');
    expect(words({ country: 'BR' })).toBe('br 012345');
    expect(words({ country: 'DE', locale: 'es' })).toContain('tu código');
    expect(words({ country: 'KE' })).toContain('votre code');
  });

  it('has the brand of the country, and placeholders inside the brand are not filled in', () => {
    const { write } = messages({ LEDGERLINE_BRAND: 'Acme {code}; DE=Acme GmbH' });
    expect(write(wanted).text).toMatch(/^Acme \{code\}: 012345 /);
    expect(write({ ...wanted, country: 'DE' }).text).toMatch(/^Acme GmbH: 012345 /);
  });

  it('has the ids of its registered template, and is one that is registered where there is any', () => {
    const confirmation = { 'en/confirmation/payment': '1111' };
    const templates = { en: '1107', 'en/1': '1108', 'hi-Latn': '1109', 'en/notice': '1110', ...confirmation };
    const writer = messages({
      LEDGERLINE_LOCALE: 'en; IN=hi-latn',
      LEDGERLINE_TEMPLATES: JSON.stringify({ 'hi-Latn': 'hi {code}', 'en/1': 'shop {code}', ta: 'ta {code}' }),
      LEDGERLINE_DLT: JSON.stringify({ IN: { entity: '1101', telemarketer: '1102', templates } }),
    });
    const { write } = writer;
    const ids = (template: string) => ({ entity: '1101', telemarketer: '1102', template });
    const notice = createNotices(writer)({ locale: 'de', country: 'IN' });
    expect(notice).toMatchObject({ text: expect.stringContaining('was changed'), dlt: ids('1110') });
    const inIndia = { ...wanted, country: 'IN' };
    expect(write(inIndia)).toMatchObject({ text: 'hi 012345', dlt: ids('1109') });
    expect(write({ ...inIndia, locale: 'en-IN', correlationType: 1 })).toMatchObject({
      text: 'shop 012345',
      dlt: ids('1108'),
    });
    // No operator would deliver the text in Tamil or German, which are not registered.
    for (const locale of ['ta', 'de'])
      expect(write({ ...inIndia, locale })).toMatchObject({ locale: 'en', dlt: ids('1107') });
    expect(write({ ...wanted, country: 'DE', locale: 'ta' })).toMatchObject({ text: 'ta 012345', dlt: undefined });
  });

  it('ends with the line of WebOTP and the hash of the Android app', () => {
    const env = { LEDGERLINE_WEBOTP_HOST: 'app.example.com' };
    expect(messages(env).write(wanted).text).toMatch(/\n\n@app\.example\.com #012345$/);
    const both = { ...env, LEDGERLINE_ANDROID_HASH: 'FA+9qCX9VSu' };
    expect(messages(both).write(wanted).text).toMatch(/\n\n@app\.example\.com #012345 FA\+9qCX9VSu$/);
    expect(messages({ LEDGERLINE_ANDROID_HASH: 'FA+9qCX9VSu' }).write(wanted).text).toMatch(/\n\nFA\+9qCX9VSu$/);
  });

  it('that does not fit one segment is reported at the start', async () => {
    const service = await serviceForTest({
      LEDGERLINE_TEMPLATES: JSON.stringify({ ru: `${'длинно '.repeat(12)}{code}`, el: '{code}' }),
      LEDGERLINE_LOG_FORMAT: 'json',
    });
    const warnings = service.logLines.filter((line) => line.includes('template-too-long'));
    // Each process tells of it.
    expect(warnings).toHaveLength(Number(process.env.TEST_PROCESSES ?? 1));
    for (const warning of warnings) expect(warning).toContain('"template":"ru","alphabet":"UCS-2","segments":2');
  });

  it('comes in the language that the caller asks for, and again so when it is resent', async () => {
    const service = await serviceForTest({ LEDGERLINE_LOCALE: 'en; DE=de' });
    const id = await service.createUser();
    const send = (locale: unknown, phoneNumber: string) =>
      service.call('/User/phone-number/send-code', { id, phoneNumber, locale });
    const phone = '+4915112345678';
    expect((await send(null, phone)).status).toBe(204);
    expect((await service.messages(phone))[0]!.text).toContain('Ihr Bestätigungscode');
    expect((await send('it-CH', phone)).status).toBe(204);
    await service.call(`/User/${id}/phone-number/resend-code`);
    const texts = (await service.messages(phone)).map(({ text }) => text);
    expect(texts.slice(0, 2)).toEqual([expect.stringContaining('codice'), expect.stringContaining('codice')]);
    const refused = await send('not a locale', phone);
    expect(refused.status).toBe(400);
    expect(refused.json.errors).toEqual({ Locale: ['The field Locale must be a language such as en or pt-BR.'] });
  });
});

describe('a test number', () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  it('gets no text, has a fixed code for one use, and is listed in the trail', async () => {
    const phone = newPhone();
    const service = await serviceForTest({ LEDGERLINE_TEST_NUMBERS: `${phone}=424242@${day(1)}` });
    const id = await service.createUser();
    expect((await service.verify(id, '424242')).status).toBe(400);
    expect((await service.sendCode(id, phone)).status).toBe(204);
    expect(await service.messages(phone)).toEqual([]);
    expect((await service.verify(id, wrongCode('424242'))).status).toBe(400);
    expect((await service.verify(id, '424242')).status).toBe(200);
    expect((await service.verify(id, '424242')).status).toBe(400);
    const { json } = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    expect(json.messages).toMatchObject([{ gateway: 'test-number', outcome: 'verified' }]);
    await expect.poll(() => service.logLines.join('')).toContain('test-number-used');
    expect(service.logLines.join('')).not.toContain('424242');
    // The next reviewer needs the number again.
    await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });
    const next = await service.createUser();
    expect((await service.sendCode(next, phone)).status).toBe(204);
    expect((await service.verify(next, '424242')).status).toBe(200);
  });

  it('is a number like any other after its last day', async () => {
    const phone = newPhone();
    const service = await serviceForTest({ LEDGERLINE_TEST_NUMBERS: `${phone}=424242@${day(-1)}` });
    const id = await service.createUser();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    if (code !== '424242') expect((await service.verify(id, '424242')).status).toBe(400);
    expect((await service.verify(id, code)).status).toBe(200);
  });
});
