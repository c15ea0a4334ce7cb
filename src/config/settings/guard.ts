/** The limits of the rules against abuse. */
import {
  base64Keys,
  byKey,
  byMode,
  fail,
  integer,
  type Kind,
  kindWithDefault,
  list,
  setting,
  spanSeconds,
  text,
} from '../../formats/setting-kinds.ts';
import {
  countingRuleNames,
  countingRuleOf,
  ruleModes,
  ruleNames,
  ruleOf,
  type CountingRuleName,
  type RuleMode,
} from '../../guard/rules.ts';
import type { Rates, SpendLimits } from '../../guard/limits.ts';
import type { Rate } from '../../guard/windows.ts';
import { refuseCountry, withKnownCountries } from './countries.ts';
import { rangeSettings } from './ranges.ts';

/** How the limits of a rule are written: `5/10m,10/1d`, and for rules that block the span of the block too. */
function parseRates(name: CountingRuleName, value: string): Rate[] {
  if (value === 'off') return [];
  const { counts, windows } = countingRuleOf(name);
  const blocks = counts.startsWith('fail');
  const form = blocks ? 'count/span/block such as 10/1h/1h' : 'count/span such as 5/10m';
  const items = list.parse(value);
  if (windows.single && items.length !== 1) return fail(`must have one limit for ${name}, or off`);
  if (items.length < 1 || items.length > 2) return fail(`must have one or two limits for ${name}, or off`);
  return items.map((item) => {
    const [count = '', ...spans] = item.split('/');
    if (!/^[1-9]\d{0,3}$/.test(count) || spans.length !== (blocks ? 2 : 1)) {
      return fail(`has the limit "${item}" for ${name}; write it as ${form}`);
    }
    const [seconds, blockSeconds] = spans.map(spanSeconds);
    return { count: Number(count), seconds: seconds!, ...(blockSeconds !== undefined && { blockSeconds }) };
  });
}

const limits: Kind<Rates> = {
  form: 'rule=limits, separated by semicolons; limits are count/span or, for failures, count/span/block, one or two, separated by commas; or off',
  parse(value, mode = 'sandbox') {
    const given = byKey('rule', new RegExp(`^(${countingRuleNames.join('|')})$`), text).parse(value);
    const rates = countingRuleNames.map((name) => {
      const written = given.get(name) ?? countingRuleOf(name).windows[mode];
      return [name, parseRates(name, written)] as const;
    });
    return Object.fromEntries(rates) as Record<CountingRuleName, Rate[]>;
  },
};

/** Texts need no name: what is listed without a channel is for them, and for the channels that are not listed. */
const destination = /^((whatsapp|voice):)?(\*|[A-Z]{2}|\+[1-9]\d{0,14})$/;
const spendLimit = /^(((whatsapp|voice):)?day|message)$/;

/** Values by country, by leading digits, or for all others. */
function table(example: string, number: (text: string) => number): Kind<ReadonlyMap<string, number>> {
  const kind: Kind<ReadonlyMap<string, number>> = {
    form: `list such as ${example}; or off`,
    parse: (value) =>
      new Map(
        (value === 'off' ? [] : list.parse(value)).map((item): [string, number] => {
          const [key = '', amount = ''] = item.split('=');
          if (!destination.test(key))
            return fail(`names "${key}"; write a country such as GB, digits such as +4470, or *, or such as voice:GB`);
          return [key, number(amount)];
        }),
      ),
  };
  return withKnownCountries(kind, (amounts) => amounts.keys());
}

const wholeNumber = (text: string) =>
  /^\d{1,9}$/.test(text) ? Number(text) : fail(`has the number "${text}"; write a whole one`);

/** Money is stored in ten-thousandths, so that sums are exact. */
const moneyOf = (text: string) =>
  /^\d{1,9}(\.\d{1,4})?$/.test(text)
    ? Math.round(Number(text) * 10_000)
    : fail(`has the amount "${text}"; write one such as 0.05`);

const defaultSpend = 'message=0.5,day=5000,*=1000';

const spendLimits: Kind<SpendLimits> = {
  form: 'list such as message=0.5,day=5000,*=1000,GB=2000,US=off; or off',
  parse(value) {
    if (value === 'off') return { message: undefined, day: undefined, countries: new Map() };
    const limits = new Map(
      [...list.parse(defaultSpend), ...list.parse(value)].map((item): [string, number | undefined] => {
        const [key = '', amount = ''] = item.split('=');
        if (!spendLimit.test(key) && !destination.test(key))
          return fail(
            `names "${key}"; write message, day, a country such as GB, digits such as +4470, or *, or such as voice:GB`,
          );
        return [key, amount === 'off' ? undefined : moneyOf(amount)];
      }),
    );
    const { message, day, ...countries } = Object.fromEntries(limits);
    return { message, day, countries: new Map(Object.entries(countries)) };
  },
};

const spend = withKnownCountries(spendLimits, (limits) => limits.countries.keys());

const countryList: Kind<string[]> = {
  form: 'list of ISO 3166 codes such as DE,GB; or * for all',
  parse(value) {
    const codes = list.parse(value).map((code) => (/^(\*|[A-Z]{2})$/.test(code) ? code : refuseCountry(code)));
    return codes.length > 0 ? codes : fail('must name at least one country, or * for all');
  },
};
const countries = withKnownCountries(countryList, (codes) => codes);

const numberTypes = [
  'premium-rate',
  'shared-cost',
  'toll-free',
  'pager',
  'voicemail',
  'personal-number',
  'uan',
  'voip',
  'fixed-line',
];

/** The names of libphonenumber. */
const refusedTypes: Kind<string[]> = {
  form: `list of ${numberTypes.join(', ')}; or off`,
  parse: (value) =>
    (value === 'off' ? [] : list.parse(value)).map((type) =>
      numberTypes.includes(type)
        ? type.toUpperCase().replaceAll('-', '_')
        : fail(`has the number type "${type}"; there are ${numberTypes.join(', ')}; or write off`),
    ),
};

/** Modes by rule; `*` for all other rules. */
const rules: Kind<ReadonlyMap<string, RuleMode>> = {
  form: 'list such as prefix=shadow,country=off, with * for all the others but challenge; modes are off, shadow, enforce',
  parse: (value) =>
    new Map(
      list.parse(value).map((item): [string, RuleMode] => {
        const [name = '', word = ''] = item.split('=');
        if (name !== '*' && !ruleNames.some((known) => known === name)) {
          return fail(
            `names the unknown rule "${name}"; there are ${ruleNames.join(', ')}, and * for all but challenge`,
          );
        }
        const mode = ruleModes.find((known) => known === word);
        return [name, mode ?? fail(`has the mode "${word}" for ${name}; it must be off, shadow or enforce`)];
      }),
    ),
};

const inSandbox = ruleNames.filter((name) => ruleOf(name).isOnInSandbox);

export const guardSettings = {
  rules: setting<ReadonlyMap<string, RuleMode>>({
    env: 'LEDGERLINE_RULES',
    kind: rules,
    default: new Map(),
    defaultText: `enforce in production, but challenge; in the sandbox ${inSandbox.join(', ')} alone`,
    about: 'Modes of the rules against abuse (docs/abuse.md). Operators can change them while the service runs.',
  }),
  rates: setting<Rates>({
    env: 'LEDGERLINE_LIMITS',
    kind: limits,
    default: byMode(limits.parse('', 'sandbox'), limits.parse('', 'production')),
    defaultText: 'in docs/abuse.md',
    about:
      'Limits of the rules that count, such as `user-sends=5/10m,10/1d; user-failures=10/1h/1h; phone-users=off`. A rule that is not listed keeps its default.',
  }),
  countries: setting<string[] | undefined>({
    env: 'LEDGERLINE_COUNTRIES',
    kind: countries,
    default: byMode<string[] | undefined>(['*'], undefined),
    defaultText: '* in the sandbox; production must choose',
    requiredBy: 'production',
    howToSet: 'the countries that codes are sent to, or * for all',
    about: 'Countries that codes are sent to.',
  }),
  refusedTypes: setting({
    env: 'LEDGERLINE_REFUSED_TYPES',
    ...kindWithDefault(refusedTypes, 'premium-rate, shared-cost, toll-free, pager, voicemail, personal-number'),
    about: 'Kinds of numbers that no code is sent to.',
  }),
  ...rangeSettings,
  challengeWork: setting({
    env: 'LEDGERLINE_CHALLENGE_WORK',
    kind: integer(1, 100_000_000),
    default: 400_000,
    about: 'Average number of hashes that are needed to solve a challenge. A phone needs about a second for 400,000.',
  }),
  attestationKeys: setting({
    env: 'LEDGERLINE_ATTESTATION_KEY',
    kind: base64Keys,
    secret: true,
    about:
      'Keys with which your back end signs that it trusts a send. Such a signature is accepted instead of the solution of a challenge (docs/decisions/0008-challenge.md).',
  }),
  countrySends: setting({
    env: 'LEDGERLINE_COUNTRY_SENDS',
    ...kindWithDefault(table('*=10000,DE=50000', wholeNumber), '*=10000'),
    about:
      'Codes that may be sent to one country in a day (UTC), for each channel; `voice:*=500` for one channel alone.',
  }),
  prices: setting({
    env: 'LEDGERLINE_PRICES',
    ...kindWithDefault(table('*=0.1,GB=0.04,+4470=0.5', moneyOf), '*=0.1'),
    about:
      'What a text of one segment costs, in your currency, by country or leading digits; a longer text costs it for each segment. `voice:GB=0.1` and `whatsapp:*=0.03` for the other channels, which otherwise cost what a text costs.',
  }),
  spend: setting({
    env: 'LEDGERLINE_SPEND',
    ...kindWithDefault(spend, defaultSpend),
    about:
      'Maximum cost of one message (numbers with a higher price are not supported), of all messages in a day (UTC), and of those to one country in a day: * for each country, or countries by name. `voice:day=200` and `voice:GB=50` limit one channel as well. What is not listed keeps its default; off removes a limit.',
  }),
};
