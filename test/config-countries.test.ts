/** Settings about countries that would stop sends without a word. */
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../src/config/load.ts';
import { findRisks } from '../src/config/risks.ts';

describe('a country that no phone number has', () => {
  it.each([
    ['LEDGERLINE_COUNTRIES', 'DE,UK'],
    ['LEDGERLINE_COUNTRY_SENDS', '*=100,UK=5'],
    ['LEDGERLINE_COUNTRY_SENDS', 'voice:UK=5'],
    ['LEDGERLINE_PRICES', '*=0.1,UK=0.04'],
    ['LEDGERLINE_SPEND', 'UK=50'],
    ['LEDGERLINE_SPEND', 'whatsapp:UK=50'],
    ['LEDGERLINE_GATEWAYS', 'twilio; UK=vonage'],
    ['LEDGERLINE_CHANNELS', '*=sms; UK=voice'],
    ['LEDGERLINE_SENDER', 'Acme; UK=Acme Ltd'],
    ['LEDGERLINE_SENDER', 'Acme; twilio/UK=Acme Ltd'],
    ['LEDGERLINE_BRAND', 'Acme; UK=Acme Ltd'],
    ['LEDGERLINE_LOCALE', 'de; UK=en'],
    ['LEDGERLINE_DLT', '{"UK":{"entity":"1101","templates":{}}}'],
  ])('stops the start: %s=%s', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new ConfigError([`${name} has the country "UK"; write GB.`]));
    expect(() => loadConfig({ [name]: value.replace('UK', 'GB') })).not.toThrow();
    expect(() => loadConfig({ [name]: value.replace('UK', 'XX') })).toThrow(
      /has the country "XX"; write the ISO 3166 code of a country with phone numbers, such as GB\.$/,
    );
  });

  it('is not the same as none', () => {
    expect(() => loadConfig({ LEDGERLINE_COUNTRIES: ',' })).toThrow(
      'LEDGERLINE_COUNTRIES must name at least one country, or * for all.',
    );
  });
});

describe('a message that costs more than one may', () => {
  const found = (env: Record<string, string>) =>
    findRisks(loadConfig({ MODE: 'production', LEDGERLINE_COUNTRIES: 'GB,DE', ...env })).map(({ risk }) => risk);
  const risk = (names: string) =>
    `No code can be sent to ${names}: the price of a message is above a limit of LEDGERLINE_SPEND.`;

  it.each([
    ['prices in cents', { LEDGERLINE_PRICES: '*=7,GB=4' }, [risk('GB (sms), DE (sms)')]],
    ['one country', { LEDGERLINE_PRICES: '*=0.1,GB=0.6,+4470=9' }, [risk('GB (sms)')]],
    ['a country that is not allowed', { LEDGERLINE_PRICES: '*=0.1,FR=0.6' }, []],
    ['all but one', { LEDGERLINE_COUNTRIES: '*', LEDGERLINE_PRICES: '*=0.6,GB=0.1' }, [risk('* (sms)')]],
    ['one of all', { LEDGERLINE_COUNTRIES: '*', LEDGERLINE_PRICES: '*=0.1,FR=0.6' }, [risk('FR (sms)')]],
    ['calls', { LEDGERLINE_PRICES: '*=0.1,voice:GB=0.6', LEDGERLINE_CHANNELS: '*=sms,voice' }, [risk('GB (voice)')]],
    ['a day', { LEDGERLINE_SPEND: 'day=0.05' }, [risk('GB (sms), DE (sms)')]],
    ['a country in a day', { LEDGERLINE_SPEND: 'GB=0.05' }, [risk('GB (sms)')]],
    ['a higher limit', { LEDGERLINE_PRICES: '*=0.7', LEDGERLINE_SPEND: 'message=1' }, []],
    ['a rule that refuses nothing', { LEDGERLINE_PRICES: '*=7', LEDGERLINE_RULES: 'spend=shadow' }, []],
    ['the defaults', {}, []],
  ])('is a risk: %s', (_what, env, expected) => {
    expect(found(env)).toEqual(expected);
  });
});

it('channels for some countries leave the others their texts', () => {
  const { channels } = loadConfig({ LEDGERLINE_CHANNELS: 'BR=whatsapp' });
  expect([...channels]).toEqual([
    ['*', ['sms']],
    ['BR', ['whatsapp']],
  ]);
});
