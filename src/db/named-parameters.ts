/** Parameters of a statement by name: their places in its text, and their values in the same order. */

export type NamedParameter = string | number | boolean | Buffer | Date | null;

export interface NamedParameters<Name extends string> {
  names: readonly Name[];
  /** The place of one parameter, with its type: `$3::text`. */
  place(name: Name): string;
  /** All places, as the arguments of a function: `for_user => $1::int, …`. */
  asArguments: string;
  valuesOf(record: Readonly<Record<Name, NamedParameter>>): NamedParameter[];
}

/** `types` has the type of each parameter in SQL. */
export function namedParameters<Name extends string>(types: Readonly<Record<Name, string>>): NamedParameters<Name> {
  const names = Object.keys(types) as Name[];
  const place = (name: Name) => `$${names.indexOf(name) + 1}::${types[name]}`;
  return {
    names,
    place,
    asArguments: names.map((name) => `${name} => ${place(name)}`).join(', '),
    valuesOf: (record) => names.map((name) => record[name]),
  };
}
