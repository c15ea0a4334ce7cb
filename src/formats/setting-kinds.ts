/** The kinds of values that a setting can have: how each is written and read. */

export type Mode = 'sandbox' | 'production';

export interface Kind<T> {
  /** How a person would write the value, for the reference. */
  form: string;
  /** The mode matters where parts of the value have defaults of their own. */
  parse(text: string, mode?: Mode): T;
}

export interface Setting<T> {
  env: string;
  kind: Kind<T>;
  /** Undefined if it is left out. */
  default?: T | ((mode: Mode) => T);
  /** What the reference says about a computed default. */
  defaultText?: string;
  secret?: boolean;
  /** What requires it. */
  requiredBy?: 'production' | 'its gateway';
  /** What to do if it is missing in production. */
  howToSet?: string;
  /** A URL that may be plain http on loopback only. */
  httpsOnly?: boolean;
  about: string;
}

export class Unreadable extends Error {}

export function fail(message: string): never {
  throw new Unreadable(message);
}

export function parseJson(value: string, refusal = 'must be JSON'): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return fail(refusal);
  }
}

export const text: Kind<string> = { form: 'text', parse: (value) => value };

/** `orWord` is what else the setting accepts, for the error. */
export function integer(minimum: number, maximum: number, orWord?: string): Kind<number> {
  const range = `must be an integer from ${minimum} to ${maximum}`;
  return {
    form: `integer, ${minimum} to ${maximum}`,
    parse(value) {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      return number >= minimum && number <= maximum ? number : fail(orWord ? `${range}, or ${orWord}` : range);
    },
  };
}

export const yesOrNo: Kind<boolean> = {
  form: 'true or false',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : fail('must be true or false')),
};

export function oneOf<const T extends string>(...values: T[]): Kind<T> {
  return {
    form: values.join(' or '),
    parse: (value) => values.find((known) => known === value) ?? fail(`must be ${values.join(' or ')}`),
  };
}

export const list: Kind<string[]> = {
  form: 'list, separated by commas',
  parse: (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
};

/** Some of these names. `what` says in the error what they are. */
export function listOf<const T extends string>(what: string, names: readonly T[]): Kind<T[]> {
  const all = names.join(', ');
  return {
    form: `list of ${all}`,
    parse(value) {
      const given = list.parse(value);
      if (given.length === 0) return fail(`names no ${what}; there are ${all}`);
      return given.map(
        (name) => names.find((known) => known === name) ?? fail(`has the ${what} "${name}"; there are ${all}`),
      );
    },
  };
}

export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function url(...protocols: string[]): Kind<string> {
  const forms = protocols.map((protocol) => `${protocol}://`).join(' or ');
  return {
    form: `URL, ${forms}`,
    parse(value) {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      if (!parsed || !protocols.includes(parsed.protocol.slice(0, -1))) {
        return fail(`must be a URL that starts with ${forms}`);
      }
      // User and password are decoded where they are used.
      if (!isDecodable(value)) return fail('has a % that starts no valid escape; write %25 for %');
      return value.replace(/\/+$/, '');
    },
  };
}

const spans: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86400 };

export function spanSeconds(span: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(span);
  const seconds = match ? Number(match[1]) * (spans[match[2]!] ?? 0) : 0;
  return seconds > 0 ? seconds : fail(`has the span "${span}"; write one such as 90s, 10m, 1h or 1d`);
}

/** `DE=…; FR=…`: values by country, or by another key. */
export function byKey<T>(keys: string, pattern: RegExp, value: Kind<T>): Kind<ReadonlyMap<string, T>> {
  return {
    form: `${keys}=value, separated by semicolons; a value is a ${value.form}`,
    parse: (text) =>
      new Map(
        semicolonList(text).map((item): [string, T] => {
          const key = keyOf(item);
          if (!pattern.test(key)) return fail(`has an entry that is not ${keys}=value; separate entries by semicolons`);
          return [key, value.parse(item.slice(item.indexOf('=') + 1).trim())];
        }),
      ),
  };
}

/** A value for all, and other values for some countries or other keys. */
export interface WithExceptions<T> {
  value: T;
  exceptions: ReadonlyMap<string, T>;
}

/** `Acme; DE=Acme GmbH`: the value for all stands first. */
export function withExceptions<T>(keys: string, pattern: RegExp, value: Kind<T>): Kind<WithExceptions<T>> {
  const exceptions = byKey(keys, pattern, value);
  return {
    form: `${value.form}; then exceptions as ${keys}=value, separated by semicolons`,
    parse(text) {
      const [first = '', ...rest] = semicolonList(text);
      if (first === '' || pattern.test(keyOf(first))) return fail('must begin with the value for all the others');
      return { value: value.parse(first), exceptions: exceptions.parse(rest.join(';')) };
    },
  };
}

const semicolonList = (text: string) =>
  text
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const keyOf = (item: string) => item.slice(0, Math.max(0, item.indexOf('='))).trim();

export const base64Keys: Kind<Buffer[]> = {
  form: 'base64 of at least 32 random bytes; several, separated by commas: the first makes digests, all verify them',
  parse(value) {
    const keys = list.parse(value).map((item) => {
      const key = Buffer.from(item, 'base64');
      return key.length >= 32 && /^[A-Za-z0-9+/_-]+=*$/.test(item)
        ? key
        : fail('must be the base64 of at least 32 random bytes; `ledgerline keys` makes one');
    });
    if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length) return fail('names a key twice');
    return keys.length > 0 ? keys : fail('must name a key; `ledgerline keys` makes one');
  },
};

/** Part of a path, or of a header. */
export const word: Kind<string> = {
  form: 'text without spaces',
  parse: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : fail('must be printable ASCII characters without spaces')),
};

export function setting<T>(definition: Setting<T> & { default: unknown }): Setting<T>;
export function setting<T>(definition: Setting<T>): Setting<T | undefined>;
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

/** A kind of setting, with a default that is written as a person would write the value. */
export function kindWithDefault<T>(kind: Kind<T>, defaultText: string) {
  return { kind, default: kind.parse(defaultText), defaultText };
}

/** A setting that a gateway requires. */
export type RequiredSetting<T> = Setting<T | undefined> & { requiredBy: 'its gateway' };

export function requiredSetting<T>(definition: Omit<Setting<T>, 'default' | 'requiredBy'>): RequiredSetting<T> {
  return { requiredBy: 'its gateway', ...definition };
}

/** From a union of types to one type that has the members of all. */
export type Merged<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void ? I : never;

export type SettingValue<S> = S extends Setting<infer T> ? T : never;

export const byMode =
  <T>(sandbox: T, production: T) =>
  (mode: Mode): T =>
    mode === 'sandbox' ? sandbox : production;
