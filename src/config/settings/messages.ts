/** The text of a message, and its sender. */
import {
  fail,
  type Kind,
  kindWithDefault,
  parseJson,
  setting,
  text,
  type WithExceptions,
  withExceptions,
} from '../../formats/setting-kinds.ts';
import { gatewayNames } from '../../sms/gateways/index.ts';
import type { DltRegistration, DltRegistrations } from '../../sms/dlt.ts';
import { refuseCountry, withKnownCountries } from './countries.ts';
import { country } from './gateways.ts';

const sender: Kind<string> = {
  form: 'number in E.164, a short code, up to 11 letters and digits, or the SID of a Twilio messaging service',
  parse: (value) =>
    /^(\+?\d{3,15}|(?=.*[A-Za-z])[A-Za-z0-9 _.&-]{1,11}|MG[0-9a-f]{32})$/.test(value)
      ? value
      : fail(`has the sender "${value}"; write a number in E.164, a short code, or up to 11 letters and digits`),
};

/** A value for all, and others by country, or by another key with a country. */
const byCountry = <T>(value: Kind<T>, keys = 'country', pattern = country): Kind<WithExceptions<T>> =>
  withKnownCountries(withExceptions(keys, pattern, value), ({ exceptions }) => exceptions.keys());

const senders = byCountry(
  sender,
  'country, gateway or gateway/country',
  new RegExp(`^([A-Z]{2}|(${gatewayNames.join('|')})(/[A-Z]{2})?)$`),
);

const locale: Kind<string> = {
  form: 'language such as en or pt-BR',
  parse: (value) =>
    /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value)
      ? value
      : fail(`has the locale "${value}"; write one such as en or pt-BR`),
};

const brands = byCountry(text);
const locales = byCountry(locale);

function jsonObject(value: string): Record<string, unknown> {
  return asObject(parseJson(value)) ?? fail('must be a JSON object');
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** The placeholders of all templates, and those of confirmations. */
const common = ['brand', 'code', 'minutes'];
const terms = ['amount', 'currency', 'payee'];

const templates: Kind<Map<string, string>> = {
  form: 'JSON object: by locale, such as de, or locale/correlationType, such as de/1; for confirmations de/confirmation, or by purpose de/confirmation/payment',
  parse(value) {
    return new Map(
      Object.entries(jsonObject(value)).map(([name, template]) => {
        if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(\/([01]|confirmation(\/[a-z0-9-]{1,64})?))?$/.test(name)) {
          return fail(`has the name "${name}"`);
        }
        if (typeof template !== 'string' || !template.includes('{code}')) {
          return fail(`has the template "${name}" without {code}`);
        }
        const placeholders = [...common, ...(name.includes('/confirmation') ? terms : [])];
        const unknown = [...template.matchAll(/\{([^}]*)\}/g)].find(([, given]) => !placeholders.includes(given!));
        if (unknown) return fail(`has ${unknown[0]} in "${name}"; there are {${placeholders.join('}, {')}}`);
        return [name, template];
      }),
    );
  },
};

/** Registered ids have 19 digits today. */
function dltId(value: unknown, where: string): string {
  if (typeof value === 'string' && /^[A-Za-z0-9]{1,64}$/.test(value)) return value;
  return fail(`has no id at ${where}; write its digits as a string`);
}

function dltRegistration(code: string, value: unknown): DltRegistration {
  const { entity, telemarketer, templates: ids, ...unknown } = asObject(value) ?? fail(`has no object for ${code}`);
  for (const name of Object.keys(unknown)) {
    return fail(`has "${name}" for ${code}; there are entity, telemarketer and templates`);
  }
  const names = asObject(ids) ?? fail(`has no templates for ${code}`);
  return {
    entity: dltId(entity, `${code}.entity`),
    telemarketer: telemarketer === undefined ? undefined : dltId(telemarketer, `${code}.telemarketer`),
    templates: new Map(
      Object.entries(names).map(([name, id]) => {
        if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(\/[a-z0-9-]{1,64}){0,2}$/.test(name)) {
          return fail(
            `has the template "${name}" for ${code}; write its locale or locale/kind, as in LEDGERLINE_TEMPLATES`,
          );
        }
        return [name, dltId(id, `${code}.templates.${name}`)];
      }),
    ),
  };
}

const registrations: Kind<DltRegistrations> = {
  form: 'JSON object: by country, entity, telemarketer and templates by name',
  parse: (value) =>
    new Map(
      Object.entries(jsonObject(value)).map(([code, registration]) => {
        if (!country.test(code)) return refuseCountry(code);
        return [code, dltRegistration(code, registration)];
      }),
    ),
};
const dlt = withKnownCountries(registrations, (value) => value.keys());

const hostName: Kind<string> = {
  form: 'host name',
  parse: (value) =>
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(value) ? value : fail('must be a host name such as app.example.com'),
};

const androidHash: Kind<string> = {
  form: '11 letters of base64',
  parse: (value) => (/^[A-Za-z0-9+/]{11}$/.test(value) ? value : fail('must be the 11 letters that the app computes')),
};

export const messagesSettings = {
  sender: setting({
    env: 'LEDGERLINE_SENDER',
    ...kindWithDefault(senders, 'Ledgerline'),
    about:
      'Sender of the messages, and another one for some countries or gateways, such as `Acme; US=+15550001; twilio/US=+15550002`.',
  }),
  brand: setting({
    env: 'LEDGERLINE_BRAND',
    ...kindWithDefault(brands, 'Ledgerline'),
    about:
      'Brand name in the messages and on statements, and another one in the messages to some countries, such as `Acme; DE=Acme GmbH`.',
  }),
  templates: setting<Map<string, string>>({
    env: 'LEDGERLINE_TEMPLATES',
    kind: templates,
    default: new Map(),
    defaultText: 'built in: de, en, es, fr, it, nl, pt',
    about:
      'Templates of the messages, with the placeholders {code}, {brand} and {minutes}. Those of confirmations may have {amount}, {currency} and {payee}; one is used only if it names exactly what the confirmation is bound to.',
  }),
  locale: setting({
    env: 'LEDGERLINE_LOCALE',
    ...kindWithDefault(locales, 'en'),
    about:
      'Language of the messages, unless the request sets another one; and another language for some countries, such as `en; DE=de; AT=de; BR=pt-BR`.',
  }),
  dlt: setting<DltRegistrations>({
    env: 'LEDGERLINE_DLT',
    kind: dlt,
    default: new Map(),
    defaultText: 'none',
    about:
      'Ids of registered senders and templates by country, without which operators in India deliver nothing (docs/gateways.md).',
  }),
  webOtpHost: setting({
    env: 'LEDGERLINE_WEBOTP_HOST',
    kind: hostName,
    about: 'Host on whose pages browsers may fill in the code: adds the WebOTP line to the message.',
  }),
  androidHash: setting({
    env: 'LEDGERLINE_ANDROID_HASH',
    kind: androidHash,
    about: 'Hash of the Android app that may read the code (SMS Retriever).',
  }),
};
