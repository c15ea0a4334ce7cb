import { expect, it } from 'vitest';
import { speak } from '../../src/sms/spoken-text.ts';

const spoken = (text: string, more: Partial<Parameters<typeof speak>[0]> = {}) =>
  speak({ text, code: '012345', locale: 'en', country: 'GB', ...more });

it('says the digits of the code one by one', () => {
  expect(spoken('Acme: 012345 is your code.').text).toBe('Acme: 0, 1, 2, 3, 4, 5 is your code.');
  expect(spoken('The number was changed.', { code: null }).text).toBe('The number was changed.');
});

it('leaves out the lines that only a phone reads', () => {
  const text = 'Acme: 0, 1, 2, 3, 4, 5 is your code.';
  expect(spoken('Acme: 012345 is your code.\n\n@app.example.com #012345').text).toBe(text);
  expect(spoken('Acme: 012345 is your code.\n\n@app.example.com #012345 FA+9qCX9VSu').text).toBe(text);
  expect(spoken('Acme: 012345 is your code.\n\nFA+9qCX9VSu').text).toBe(text);
  expect(spoken('Acme: 012345.\n\nIt is valid.').text).toBe('Acme: 0, 1, 2, 3, 4, 5.\n\nIt is valid.');
});

it.each([
  ['en', 'GB', 'en-GB'],
  ['en', 'DE', 'en-US'],
  ['de', 'AT', 'de-DE'],
  ['pt', 'BR', 'pt-BR'],
  ['pt', undefined, 'pt-PT'],
  ['es', 'MX', 'es-MX'],
  ['fr-ca', 'FR', 'fr-CA'],
  ['pl', 'PL', 'pl-PL'],
  ['sv', 'FI', 'sv-SE'],
])('speaks %s to %s as %s', (locale, country, language) => {
  expect(spoken('x', { locale, country }).language).toBe(language);
});
