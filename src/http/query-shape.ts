/** The query string of a request: read, checked and described by the same shapes as a body. */
import { invalidFields, type FieldErrors } from '../errors.ts';
import { JsonObject, type Json } from '../formats/json.ts';
import { memberReader, WrongType, type Members, type Schema, type ValuesOf } from '../formats/shape.ts';

interface QueryParameter {
  name: string;
  required: boolean;
  description: string;
  schema: Schema;
}

export interface Query<T> {
  parameters: QueryParameter[];
  /** Throws if a parameter is invalid. Names match in any case, as in .NET; an empty value counts as absent. */
  read(parameters: URLSearchParams): T;
}

export function query<M extends Members>(members: M): Query<ValuesOf<M>> {
  const readMembers = memberReader(members);
  const isList = (name: string) => members[name]!.shape.schema.type === 'array';

  function valuesOf(parameters: URLSearchParams): JsonObject {
    const values: Record<string, Json> = {};
    for (const name of Object.keys(members)) {
      const given = [...parameters].filter(([key, value]) => value !== '' && key.toLowerCase() === name.toLowerCase());
      if (given.length === 0) continue;
      const texts = given.map(([, value]) => value);
      values[name] = isList(name) ? texts : texts[0]!;
    }
    return JsonObject.of(values);
  }

  return {
    parameters: Object.entries(members).map(([name, { shape, about, required, default: value }]) => ({
      name,
      required,
      description: about,
      schema: { ...shape.schema, ...(value !== undefined && { default: value as unknown }) },
    })),
    read(parameters) {
      const errors: FieldErrors = {};
      const given = valuesOf(parameters);
      const values = readMembers(given, '', errors);
      if (values instanceof WrongType) throw invalidFields(wrongValue(values.path, given));
      if (Object.keys(errors).length > 0) throw invalidFields(errors);
      return values as ValuesOf<M>;
    },
  };
}

/** The sentence of .NET for a query value of the wrong type. */
function wrongValue(name: string, given: JsonObject): FieldErrors {
  const field = name[0]!.toUpperCase() + name.slice(1);
  const value = given.values[given.names.indexOf(name)];
  return { [field]: [`The value '${String(value)}' is not valid for ${field}.`] };
}
