/** Parameters of the query string. Names match in any case, as .NET's do, and an empty value counts as absent. */
import { invalidFields } from '../errors.ts';
import { queryOf, type Request } from './operation.ts';

export interface Query {
  text(name: string): string | undefined;
  /** All values of a parameter that may be repeated. */
  texts(name: string): string[];
  /** Refuses what is no integer, or out of range. */
  integer(name: string, minimum: number, maximum: number): number | undefined;
}

export function readQuery(request: Request): Query {
  const given = [...queryOf(request.address)].map(([name, value]) => ({ name: name.toLowerCase(), value }));

  function texts(name: string): string[] {
    return given.filter((one) => one.name === name.toLowerCase() && one.value !== '').map(({ value }) => value);
  }

  return {
    texts,
    text: (name) => texts(name)[0],
    integer(name, minimum, maximum) {
      const value = texts(name)[0];
      if (value === undefined) return undefined;
      const field = fieldName(name);
      const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (Number.isNaN(number)) throw invalidFields({ [field]: [`The value '${value}' is not valid for ${field}.`] });
      if (number >= minimum && number <= maximum) return number;
      throw invalidFields({ [field]: [`The field ${field} must be between ${minimum} and ${maximum}.`] });
    },
  };
}

function fieldName(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}
