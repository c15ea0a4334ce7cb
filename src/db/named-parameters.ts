/** The parameters of a statement: the name and type of each in SQL, and how its value is read from what is given. */
import type { Value } from './sql.ts';

export type ParameterTable<Given> = Readonly<Record<string, readonly [type: string, read: (given: Given) => Value]>>;

export function namedParameters<Given>(table: ParameterTable<Given>) {
  const names = Object.keys(table);
  const reads = Object.values(table).map(([, read]) => read);

  /** The place of one parameter, with its type: `$3::text`. */
  function place(name: string): string {
    const index = names.indexOf(name);
    if (index < 0) throw new Error(`The statement has no parameter ${name}`);
    return `$${index + 1}::${table[name]![0]}`;
  }

  return {
    names,
    place,
    /** All places, as the arguments of a function: `for_user => $1::int, …`. */
    asArguments: names.map((name) => `${name} => ${place(name)}`).join(', '),
    valuesOf: (given: Given): Value[] => reads.map((read) => read(given)),
  };
}
