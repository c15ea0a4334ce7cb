/** What the form computes: countries, spellings of numbers, durations. */
import metadata from 'libphonenumber-js/metadata.min.json' with { type: 'json' };
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, it } from 'vitest';
import { countriesIn, findCountries, homeCountry } from '../../web/intl/countries.ts';
import { exampleOf, formatAsTyped, parseNumber, randomNumberOf } from '../../web/intl/number-rules.ts';
import { formatDuration } from '../../web/intl/duration.ts';

it('the countries are those of libphonenumber, and can be searched', () => {
  const known = countriesIn('en').map(({ code, callingCode }) => `${code} ${callingCode}`);
  expect(known.sort()).toEqual(
    getCountries()
      .map((code) => `${code} ${getCountryCallingCode(code)}`)
      .sort(),
  );
  expect(homeCountry(['de', 'nonsense!', 'fr-CH'])).toBe('CH');
  const countries = countriesIn('en');
  expect(findCountries(countries, 'ger')[0]!.name).toBe('Germany');
  expect(findCountries(countries, 'US')[0]!.name).toBe('United States');
  expect(findCountries(countries, '+358').map(({ code }) => code)).toEqual(['FI', 'AX']);
  const shared = Object.entries(metadata.country_calling_codes).filter(([, codes]) => codes.length > 1);
  expect(shared.map(([digits]) => findCountries(countries, digits)[0]!.code)).toEqual(shared.map(([, [main]]) => main));
});

it('numbers are read in the spellings of their country', () => {
  for (const typed of ['07400 123456', '7400123456', '+44 7400 123456', '0044 7400 123456', '+44 (0)7400 123456']) {
    expect([typed, parseNumber(typed, 'GB')?.phoneNumber]).toEqual([typed, '+447400123456']);
  }
  expect(parseNumber('06 12 34 56 78', 'FR')).toEqual({
    phoneNumber: '+33612345678',
    display: '+33 6 12 34 56 78',
    country: 'FR',
  });
  expect(parseNumber('12', 'GB')).toBeUndefined();
  expect(formatAsTyped('0049151', 'GB')).toEqual({ text: '+49 151', country: 'DE' });
});

it('examples are mobile numbers of their own country, another one each time', () => {
  expect(exampleOf('GB')).toBe('07400 123456');
  for (const { code } of countriesIn('en')) {
    const example = parsePhoneNumberFromString(randomNumberOf(code));
    expect([code, example?.isPossible()]).toEqual([code, true]);
  }
  for (const code of ['GB', 'DE', 'US', 'FR', 'IN', 'BR']) {
    const numbers = Array.from({ length: 20 }, () => randomNumberOf(code));
    expect(new Set(numbers).size).toBeGreaterThan(10);
    for (const number of numbers) expect(parsePhoneNumberFromString(number)?.country).toBe(code);
  }
});

it('durations are written in hours, minutes and seconds', () => {
  expect([0, 9, 61, 600, 3600, 86_399].map(formatDuration)).toEqual([
    '0:00',
    '0:09',
    '1:01',
    '10:00',
    '1:00:00',
    '23:59:59',
  ]);
});
