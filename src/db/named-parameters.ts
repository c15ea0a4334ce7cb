/** Parameters of a statement by name: their places in its text, and their values in the same order. */

type NamedParameter = string | number | boolean | Buffer | Date | null;

/** `types` has the type of each parameter in SQL. */
export function namedParameters<Name extends string>(types: Readonly<Record<Name, string>>) {
  const names = Object.keys(types) as Name[];
  /** The place of one parameter, with its type: `$3::text`. */
  const place = (name: Name) => `$${names.indexOf(name) + 1}::${types[name]}`;
  return {
    names,
    place,
    /** All places, as the arguments of a function: `for_user => $1::int, …`. */
    asArguments: names.map((name) => `${name} => ${place(name)}`).join(', '),
    valuesOf: (record: Readonly<Record<Name, NamedParameter>>) => names.map((name) => record[name]),
  };
}
