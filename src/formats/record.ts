/**
 * Shapes that responses and queries need besides those of a request body: records, lists, words, instants.
 * One definition types the value, reads it and describes it in OpenAPI.
 */
import type { FieldErrors } from '../errors.ts';
import { JsonNumber, JsonObject, type Json } from './json.ts';
import {
  keptMembers,
  memberReader,
  text,
  WrongType,
  type Field,
  type Members,
  type Schema,
  type Shape,
  type ValuesOf,
} from './shape.ts';

type AbsentKeys<V> = { [K in keyof V]: undefined extends V[K] ? K : never }[keyof V];

/** Members that may be absent are optional properties of the value. */
export type RecordOf<M extends Members> = Omit<ValuesOf<M>, AbsentKeys<ValuesOf<M>>> &
  Partial<Pick<ValuesOf<M>, AbsentKeys<ValuesOf<M>>>>;

/** An object with its own name, by which the OpenAPI document refers to it. */
export function record<M extends Members>(title: string, members: M): Shape<RecordOf<M>> {
  const read = memberReader(members);
  const properties: Record<string, Schema> = {};
  for (const [name, { shape, about }] of Object.entries(members)) properties[name] = described(shape.schema, about);
  const required = Object.keys(members).filter((name) => members[name]!.required);
  return {
    schema: { title, type: 'object', ...(required.length > 0 && { required }), properties },
    kept: keptMembers(members),
    read(json, field, path, errors) {
      if (!(json instanceof JsonObject)) return WrongType.of(path, field, title);
      return read(json, `${path}${field.member}.`, errors) as RecordOf<M> | WrongType;
    },
  };
}

/** A description next to a reference to a named schema would be lost, so none is added there. */
function described(schema: Schema, about: string): Schema {
  return about === '' || schema.title !== undefined ? schema : { ...schema, description: about };
}

/** A request must give `maxItems`; a response may leave it out. */
export function listOf<T>(item: Shape<T>, maxItems?: number): Shape<T[]> {
  const limit = maxItems ?? Infinity;
  return {
    schema: { type: 'array', ...(maxItems !== undefined && { maxItems }), items: item.schema },
    // One item too many is enough to know.
    kept: { items: item.kept ?? {}, maxItems: limit + 1 },
    read(json, field, path, errors) {
      if (!Array.isArray(json)) return WrongType.of(path, field, 'System.Collections.Generic.List`1');
      if (json.length > limit) {
        errors[field.name] = [
          `The field ${field.name} must be a string or array type with a maximum length of '${limit}'.`,
        ];
        return undefined;
      }
      return readItems(item, json, field, path, errors);
    },
  };
}

function readItems<T>(item: Shape<T>, json: Json[], field: Field, path: string, errors: FieldErrors) {
  const values: T[] = [];
  for (const [index, entry] of json.entries()) {
    const value = item.read(entry, { member: `${field.member}[${index}]`, name: field.name }, path, errors);
    if (value instanceof WrongType) return value;
    // A refused item has its message in `errors`, and the list is then not used.
    values.push(value!);
  }
  return values;
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const { schema } = shape;
  const orNull: Schema =
    schema.title === undefined
      ? { ...schema, type: [schema.type, 'null'].flat(), ...(Array.isArray(schema.enum) && withNull(schema.enum)) }
      : { oneOf: [schema, { type: 'null' }] };
  return { ...shape, schema: orNull };
}

const withNull = (values: readonly unknown[]) => ({ enum: [...values, null] });

/** One of a few words. */
export function word<Word extends string>(words: readonly Word[]): Shape<Word> {
  return text({
    parse: (given) => words.find((known) => known === given),
    message: `The field {0} must be one of ${words.join(', ')}.`,
    schema: { enum: words },
  });
}

/** A point in time as callers give it. */
export function timestamp<T>(parse: (given: string) => T | undefined): Shape<T> {
  return text({
    trim: true,
    parse,
    message: 'The field {0} must be an ISO 8601 date-time.',
    schema: { format: 'date-time' },
  });
}

export function boolean(): Shape<boolean> {
  return {
    schema: { type: 'boolean' },
    read(json, field, path) {
      if (typeof json !== 'boolean') return WrongType.of(path, field, 'System.Boolean');
      return json;
    },
  };
}

/** An integer that JSON can represent without loss. */
export function integer(minimum = 0): Shape<number> {
  return {
    schema: { type: 'integer', minimum },
    read(json, field, path, errors) {
      const given = json instanceof JsonNumber ? json.text : json;
      if (typeof given !== 'string' || !/^-?\d{1,16}$/.test(given)) return WrongType.of(path, field, 'System.Int64');
      const value = Number(given);
      if (value >= minimum && value <= Number.MAX_SAFE_INTEGER) return value;
      errors[field.name] = [`The field ${field.name} must be between ${minimum} and ${Number.MAX_SAFE_INTEGER}.`];
      return undefined;
    },
  };
}

/** A value that responses have and requests do not. */
export function responseOnly<T>(schema: Schema): Shape<T> {
  return {
    schema,
    read() {
      throw new TypeError('This shape describes responses only.');
    },
  };
}

/** A point in time in UTC: a Date, or the text from the database. */
export const instant = () => responseOnly<Date | string>({ type: 'string', format: 'date-time' });

/** A decimal, whose digits are exact in the JSON. */
export const number = (schema: Schema = {}) => responseOnly<number>({ type: 'number', ...schema });

/** From a field name to error messages. */
export const fieldErrors = () =>
  responseOnly<FieldErrors>({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } });
