/** The limits of the rules against abuse. */
import { type PrefixLimit, type RuleMode, ruleModes, ruleNames } from '../../guard/rules.ts';
import { type FailureRate, type Rate } from '../../guard/windows.ts';
import { byMode, fail, type Kind, list, setting, spanSeconds } from '../kinds.ts';

/** Two windows are what the statements that count take as parameters. */
function rates<T>(form: string, parts: number, make: (count: number, spans: number[]) => T): Kind<T[]> {
  return {
    form: `${form}, one or two, separated by commas; or off`,
    parse(value) {
      if (value === 'off') return [];
      const items = list.parse(value);
      if (items.length < 1 || items.length > 2) return fail('must hold one or two limits, or off');
      return items.map((item) => {
        const [count, ...rest] = item.split('/');
        if (!/^[1-9]\d{0,3}$/.test(count ?? '') || rest.length !== parts) {
          return fail(`has the limit "${item}"; write it as ${form}`);
        }
        return make(Number(count), rest.map(spanSeconds));
      });
    },
  };
}

const sendRates: Kind<Rate[]> = rates('count/span such as 5/10m', 1, (count, [seconds]) => ({
  count,
  seconds: seconds!,
}));

const failureRates: Kind<FailureRate[]> = rates(
  'count/span/block such as 10/1h/1h',
  2,
  (count, [seconds, blockSeconds]) => ({ count, seconds: seconds!, blockSeconds: blockSeconds! }),
);

/** A rule that has one window only. */
function one<T>(kind: Kind<T[]>): Kind<T[]> {
  return {
    form: kind.form.replace(', one or two, separated by commas', ''),
    parse(value) {
      const limits = kind.parse(value);
      return limits.length > 1 ? fail('must hold one limit, or off') : limits;
    },
  };
}

const prefixLimit: Kind<PrefixLimit | undefined> = {
  form: 'count/span/percent such as 20/1h/20; or off',
  parse(value) {
    if (value === 'off') return undefined;
    const [, count, span, percent] = /^([1-9]\d{0,5})\/(\w+)\/(\d{1,2}|100)$/.exec(value) ?? [];
    if (!span) return fail(`has the limit "${value}"; write it as 20/1h/20`);
    return { count: Number(count), seconds: spanSeconds(span), percent: Number(percent) };
  },
};

const destination = /^(\*|[A-Z]{2}|\+[1-9]\d{0,14})$/;

/** Values by country, by leading digits, or for the rest. */
function table(example: string, number: (text: string) => number): Kind<ReadonlyMap<string, number>> {
  return {
    form: `list such as ${example}; or off`,
    parse: (value) =>
      new Map(
        (value === 'off' ? [] : list.parse(value)).map((item): [string, number] => {
          const [key = '', amount = ''] = item.split('=');
          if (!destination.test(key))
            return fail(`names "${key}"; write a country such as GB, digits such as +4470, or *`);
          return [key, number(amount)];
        }),
      ),
  };
}

const wholeNumber = (text: string) =>
  /^\d{1,9}$/.test(text) ? Number(text) : fail(`has the number "${text}"; write a whole one`);

/** Money is kept in ten-thousandths, so that sums are exact. */
const moneyOf = (text: string) =>
  /^\d{1,9}(\.\d{1,4})?$/.test(text)
    ? Math.round(Number(text) * 10_000)
    : fail(`has the amount "${text}"; write one such as 0.05`);

const money: Kind<number | undefined> = {
  form: 'amount such as 0.05; or off',
  parse: (value) => (value === 'off' ? undefined : moneyOf(value)),
};

const countries: Kind<string[]> = {
  form: 'list of ISO 3166 codes such as DE,GB; or * for all',
  parse: (value) =>
    list.parse(value).map((code) => (/^(\*|[A-Z]{2})$/.test(code) ? code : fail(`has the country "${code}"`))),
};

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

/** As libphonenumber spells them. */
const refusedTypes: Kind<string[]> = {
  form: `list of ${numberTypes.join(', ')}; or off`,
  parse: (value) =>
    (value === 'off' ? [] : list.parse(value)).map((type) =>
      numberTypes.includes(type) ? type.toUpperCase().replaceAll('-', '_') : fail(`has the number type "${type}"`),
    ),
};

/** Modes by rule; `*` for all that are not named. */
const rules: Kind<ReadonlyMap<string, RuleMode>> = {
  form: 'list such as prefix=shadow,country=off, with * for all the others; modes are off, shadow, enforce',
  parse: (value) =>
    new Map(
      list.parse(value).map((item): [string, RuleMode] => {
        const [name = '', word = ''] = item.split('=');
        if (name !== '*' && !ruleNames.some((known) => known === name)) return fail(`names the unknown rule "${name}"`);
        const mode = ruleModes.find((known) => known === word);
        return [name, mode ?? fail(`has the mode "${word}" for ${name}; it must be off, shadow or enforce`)];
      }),
    ),
};

export const guardSettings = {
  rules: setting<ReadonlyMap<string, RuleMode>>({
    env: 'LEDGERLINE_RULES',
    kind: rules,
    default: new Map(),
    defaultText: 'enforce in production; in the sandbox user-sends, phone-sends and user-failures alone',
    about: 'Modes of the rules against abuse (docs/abuse.md); operators may change them while the service runs.',
  }),
  userSends: setting<Rate[]>({
    env: 'LEDGERLINE_USER_SENDS',
    kind: sendRates,
    default: byMode(sendRates.parse('100/10m'), sendRates.parse('5/10m,10/1d')),
    defaultText: '100/10m; 5/10m,10/1d in production',
    about: 'Codes one user may ask for.',
  }),
  phoneSends: setting<Rate[]>({
    env: 'LEDGERLINE_PHONE_SENDS',
    kind: sendRates,
    default: byMode(sendRates.parse('off'), sendRates.parse('5/10m,10/1d')),
    defaultText: 'off; 5/10m,10/1d in production',
    about: 'Codes that may be sent to one phone.',
  }),
  addressSends: setting<Rate[]>({
    env: 'LEDGERLINE_ADDRESS_SENDS',
    kind: sendRates,
    default: sendRates.parse('30/10m,300/1d'),
    defaultText: '30/10m,300/1d',
    about: 'Codes that may be asked for from one client address (IPv6: one /64).',
  }),
  tokenSends: setting<Rate[]>({
    env: 'LEDGERLINE_TOKEN_SENDS',
    kind: sendRates,
    default: sendRates.parse('10/10m,20/1d'),
    defaultText: '10/10m,20/1d',
    about: 'Codes that may be asked for with the user-bound tokens of one person.',
  }),
  userPhones: setting<Rate[]>({
    env: 'LEDGERLINE_USER_PHONES',
    kind: one(sendRates),
    default: sendRates.parse('3/1d'),
    defaultText: '3/1d',
    about: 'Different phones one user may have codes sent to.',
  }),
  phoneUsers: setting<Rate[]>({
    env: 'LEDGERLINE_PHONE_USERS',
    kind: one(sendRates),
    default: sendRates.parse('3/1d'),
    defaultText: '3/1d',
    about: 'Different users who may have codes sent to one phone.',
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
  refusedTypes: setting<string[]>({
    env: 'LEDGERLINE_REFUSED_TYPES',
    kind: refusedTypes,
    default: refusedTypes.parse('premium-rate,shared-cost,toll-free,pager,voicemail,personal-number'),
    defaultText: 'premium-rate, shared-cost, toll-free, pager, voicemail, personal-number',
    about: 'Kinds of numbers that no code is sent to.',
  }),
  prefixSends: setting<PrefixLimit | undefined>({
    env: 'LEDGERLINE_PREFIX_SENDS',
    kind: prefixLimit,
    default: prefixLimit.parse('20/1h/20'),
    defaultText: '20/1h/20',
    about:
      'Codes to numbers that differ in their last four digits; past the count the prefix is closed unless so many percent were verified.',
  }),
  countrySends: setting<ReadonlyMap<string, number>>({
    env: 'LEDGERLINE_COUNTRY_SENDS',
    kind: table('*=10000,DE=50000', wholeNumber),
    default: new Map([['*', 10_000]]),
    defaultText: '*=10000',
    about: 'Codes to one country in a day (UTC).',
  }),
  prices: setting<ReadonlyMap<string, number>>({
    env: 'LEDGERLINE_PRICES',
    kind: table('*=0.1,GB=0.04,+4470=0.5', moneyOf),
    default: new Map([['*', 1000]]),
    defaultText: '*=0.1',
    about: 'What a message costs, in your currency, by country or leading digits.',
  }),
  messageSpend: setting<number | undefined>({
    env: 'LEDGERLINE_MESSAGE_SPEND',
    kind: money,
    default: 5000,
    defaultText: '0.5',
    about: 'The most a message may cost; a dearer number is not supported.',
  }),
  countrySpend: setting<ReadonlyMap<string, number>>({
    env: 'LEDGERLINE_COUNTRY_SPEND',
    kind: table('*=1000,GB=2000', moneyOf),
    default: new Map([['*', 10_000_000]]),
    defaultText: '*=1000',
    about: 'The most that messages to one country may cost in a day (UTC).',
  }),
  daySpend: setting<number | undefined>({
    env: 'LEDGERLINE_DAY_SPEND',
    kind: money,
    default: 50_000_000,
    defaultText: '5000',
    about: 'The most that all messages may cost in a day (UTC).',
  }),
  userFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_USER_FAILURES',
    kind: failureRates,
    default: byMode(failureRates.parse('10/1h/1h'), failureRates.parse('10/1h/1h,20/1d/1d')),
    defaultText: '10/1h/1h; 10/1h/1h,20/1d/1d in production',
    about: 'Failed verifications of one user, and how long the next are refused.',
  }),
  phoneFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_PHONE_FAILURES',
    kind: failureRates,
    default: failureRates.parse('15/1d/1d'),
    defaultText: '15/1d/1d',
    about: 'Failed verifications of codes that went to one phone; then users who failed on it are refused.',
  }),
  addressFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_ADDRESS_FAILURES',
    kind: failureRates,
    default: failureRates.parse('50/1h/1h,200/1d/1d'),
    defaultText: '50/1h/1h,200/1d/1d',
    about: 'Failed verifications from one client address, and how long the next are refused.',
  }),
  tokenFailures: setting<FailureRate[]>({
    env: 'LEDGERLINE_TOKEN_FAILURES',
    kind: failureRates,
    default: failureRates.parse('10/1h/1h,20/1d/1d'),
    defaultText: '10/1h/1h,20/1d/1d',
    about: 'Failed verifications with the user-bound tokens of one person, and how long the next are refused.',
  }),
  codeUsers: setting<FailureRate[]>({
    env: 'LEDGERLINE_CODE_USERS',
    kind: one(failureRates),
    default: failureRates.parse('10/1h/1h'),
    defaultText: '10/1h/1h',
    about: 'Different users on whom one code may fail, and how long that code is refused then.',
  }),
};
