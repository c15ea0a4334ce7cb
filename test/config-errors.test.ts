/** What the error of a setting says: its name, what is wrong, and what may be written instead. */
import { expect, it } from 'vitest';
import { loadConfig } from '../src/config/load.ts';

it.each([
  ['LEDGERLINE_RULES', 'prefixes=off', /names the unknown rule "prefixes"; there are user-sends, .*, one-code, and \*/],
  ['LEDGERLINE_REFUSED_TYPES', 'premium', /has the number type "premium"; there are premium-rate, .*; or write off\.$/],
  ['LEDGERLINE_ALGORITHMS', 'HS256', /has the algorithm "HS256"; there are RS256, .*, EdDSA\.$/],
  ['LEDGERLINE_ALGORITHMS', ',', /names no algorithm; there are RS256, /],
  ['LEDGERLINE_UNKNOWN', '1', /is not a setting; docs\/config\.md lists them\.$/],
  ['LEDGERLINE_DLT', '{"India":{}}', /has the country "India"; write the ISO 3166 code/],
  ['LEDGERLINE_RESEND_AFTER_SECONDS', 'none', /must be an integer from 5 to 600, or off\.$/],
  ['LEDGERLINE_PROCESSES', 'all', /must be an integer from 1 to 64, or auto\.$/],
  ['LEDGERLINE_STATEMENT_FONT', 'package.json', /names a file that is not a TrueType, OpenType or WOFF font\.$/],
  ['LEDGERLINE_STATEMENT_FONT', 'src', /names a file that cannot be read: EISDIR/],
  ['LEDGERLINE_TWILIO_TOKEN', 'schlüssel', /must be printable ASCII characters without spaces\.$/],
])('the error of %s=%s says what may be written', (name, value, error) => {
  expect(() => loadConfig({ [name]: value })).toThrow(error);
});
