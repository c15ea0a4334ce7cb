/** Countries in settings. A code that no phone number has, such as UK, would silently match nothing. */
import { fail, type Kind } from '../../formats/setting-kinds.ts';
import { hasPhoneNumbers } from '../../values/phone-number.ts';

/** Codes that are often written for another one. */
const meant: Record<string, string> = { UK: 'GB', EL: 'GR' };

export function refuseCountry(code: string): never {
  return fail(
    `has the country "${code}"; write ${meant[code] ?? 'the ISO 3166 code of a country with phone numbers, such as GB'}`,
  );
}

/** A kind whose value names countries: alone, or after a channel or a gateway, such as `voice:GB` and `twilio/US`. */
export function withKnownCountries<T>(kind: Kind<T>, namesIn: (value: T) => Iterable<string>): Kind<T> {
  return {
    form: kind.form,
    parse(text, mode) {
      const value = kind.parse(text, mode);
      for (const name of namesIn(value)) {
        const code = /(?:^|[:/])([A-Z]{2})$/.exec(name)?.[1];
        if (code !== undefined && !hasPhoneNumbers(code)) return refuseCountry(code);
      }
      return value;
    },
  };
}
