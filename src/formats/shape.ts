/**
 * The door: what a request's JSON must look like, in one definition that reads it, refuses it with the
 * sentences .NET uses, and describes it in OpenAPI. Behind the door nothing is checked again.
 */
import { invalidFields, type FieldErrors } from '../errors.ts';
import { JsonNumber, JsonObject, type Json } from './json.ts';

export type Schema = Record<string, unknown>;

/** A member's name: on the wire, and as .NET spells the field. */
interface Field {
  member: string;
  name: string;
}

export interface Shape<T> {
  schema: Schema;
  /** The value, or undefined when `errors` now says why not. `path` is where the object stands. */
  read(json: Json, field: Field, path: string, errors: FieldErrors): T | undefined;
  /** [Required] refuses a blank string along with a missing one. */
  isBlank?(json: Json): boolean;
  /** What says as much as leaving the member out. */
  isNone?(json: Json): boolean;
}

/** Thrown when a value is of another JSON type; like .NET's reader, nothing after it is looked at. */
export class WrongType extends Error {
  readonly path: string;

  static of(path: string, { member }: Field, type: string): WrongType {
    return new WrongType(path + member, type);
  }

  constructor(path: string, type: string) {
    super(`The JSON value could not be converted to ${type}. Path: ${path}.`);
    this.path = path;
  }
}

function refuse(errors: FieldErrors, { name }: Field, message: string): undefined {
  (errors[name] ??= []).push(message.replaceAll('{0}', name));
  return undefined;
}

/** An integer may come as a numeric string, and 1.0 is 1. */
export function int32(minimum = 1, maximum = 2_147_483_647): Shape<number> {
  return {
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    read(json, field, path, errors) {
      const text = json instanceof JsonNumber ? json.text : typeof json === 'string' ? json : '';
      const number = json instanceof JsonNumber || /^-?\d+(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isInteger(number)) throw WrongType.of(path, field, 'System.Int32');
      if (number >= minimum && number <= maximum) return number;
      return refuse(errors, field, `The field {0} must be between ${minimum} and ${maximum}.`);
    },
  };
}

interface TextOptions<T> {
  /** White space around it does not belong to it. */
  trim?: boolean;
  maxLength?: number;
  /** Makes the value; undefined refuses it. */
  parse?(text: string): T | undefined;
  message?: string;
  schema?: Schema;
}

/** PostgreSQL keeps every character but this one. */
const nothing = '\u0000';

function readText<T>(given: string, options: TextOptions<T>, field: Field, errors: FieldErrors): T | undefined {
  const text = options.trim ? given.trim() : given;
  if (text.includes(nothing)) return refuse(errors, field, 'The field {0} must not contain the character U+0000.');
  if (options.maxLength !== undefined && text.length > options.maxLength) {
    return refuse(errors, field, `The field {0} must be a string with a maximum length of ${options.maxLength}.`);
  }
  if (!options.parse) return text as T;
  return options.parse(text) ?? refuse(errors, field, options.message!);
}

const isEmptyText = (json: Json) => json === '';
const isBlankText = (json: Json) => typeof json === 'string' && json.trim() === '';

export function text<T = string>(options: TextOptions<T> = {}): Shape<T> {
  const length = options.maxLength === undefined ? {} : { maxLength: options.maxLength };
  return {
    schema: { type: 'string', ...length, ...options.schema },
    isBlank: isBlankText,
    read(json, field, path, errors) {
      if (typeof json !== 'string') throw WrongType.of(path, field, 'System.String');
      return readText(json, options, field, errors);
    },
  };
}

/** A text that may be left empty, which says as much as leaving it out. White space does so only where it is trimmed. */
export function filterText<T = string>(options: TextOptions<T> = {}): Shape<T> {
  return { ...text(options), isNone: options.trim ? isBlankText : isEmptyText };
}

/** A decimal, as a string or as a number whose digits are kept. */
export function decimal<T>(
  parse: (text: string, isNumber: boolean) => T | undefined,
  message: string,
  schema: Schema,
  emptyIsNone = false,
): Shape<T> {
  return {
    schema,
    isBlank: isBlankText,
    ...(emptyIsNone && { isNone: isEmptyText }),
    read(json, field, path, errors) {
      if (typeof json !== 'string' && !(json instanceof JsonNumber)) throw WrongType.of(path, field, 'System.Decimal');
      const given = json instanceof JsonNumber ? json.text : json;
      return parse(given, json instanceof JsonNumber) ?? refuse(errors, field, message);
    },
  };
}

export function jsonObject(): Shape<JsonObject> {
  return {
    schema: { type: 'object', additionalProperties: true },
    read(json, field, path) {
      if (!(json instanceof JsonObject)) throw WrongType.of(path, field, 'System.Object');
      return json;
    },
  };
}

/** Read by whoever knows its items. */
export function list(items: Schema): Shape<Json[]> {
  return {
    schema: { type: 'array', items },
    read(json, field, path) {
      if (!Array.isArray(json)) throw WrongType.of(path, field, 'System.Collections.Generic.List`1');
      return json;
    },
  };
}

interface Member<T> {
  shape: Shape<NonNullable<T>>;
  required: boolean;
  about: string;
  default?: T;
}

export function required<T>(shape: Shape<T>, about: string): Member<T> {
  return { shape: shape as Shape<NonNullable<T>>, required: true, about };
}

export function optional<T>(shape: Shape<T>, about: string): Member<T | undefined> {
  return { shape: shape as Shape<NonNullable<T>>, required: false, about };
}

export function withDefault<T>(shape: Shape<T>, value: T, about: string): Member<T> {
  return { shape: shape as Shape<NonNullable<T>>, required: false, about, default: value };
}

// oxlint-disable-next-line no-explicit-any -- members of every type
type Members = Record<string, Member<any>>;
export type ValuesOf<M> = { [K in keyof M]: M[K] extends Member<infer T> ? T : never };

export interface Body<T> {
  /** The model's name, in OpenAPI and in .NET's sentence about a body that is no object. */
  name: string;
  schema: Schema;
  /** Throws what is wrong with it. */
  read(json: Json): T;
}

export function body<M extends Members>(
  name: string,
  members: M,
  check: (values: ValuesOf<M>, errors: FieldErrors) => void = () => {},
): Body<ValuesOf<M>> {
  const read = memberReader(members);
  return {
    name,
    schema: objectSchema(members),
    read(json) {
      if (!(json instanceof JsonObject)) throw invalidFields({ $: [new WrongType('$', name).message] });
      const errors: FieldErrors = {};
      let values: ValuesOf<M>;
      try {
        values = read(json, '$.', errors) as ValuesOf<M>;
      } catch (error) {
        if (error instanceof WrongType) throw invalidFields({ [error.path]: [error.message] });
        throw error;
      }
      check(values, errors);
      if (Object.keys(errors).length > 0) throw invalidFields(errors);
      return values;
    },
  };
}

/** Member names match in any case, unknown ones are ignored, a repeated one counts as it came last. */
export function memberReader(members: Members) {
  const fields = Object.entries(members).map(([member, definition]) => ({
    member,
    name: member[0]!.toUpperCase() + member.slice(1),
    ...definition,
  }));
  const indexOf = new Map(
    fields.flatMap(({ member }, index) => [
      [member, index],
      [member.toLowerCase(), index],
    ]),
  );

  /** Where each field's value stands among the members; objects of one list share their names, and so this. */
  let lastNames: readonly string[] = [];
  let lastPlaces: number[] = placesIn([]);
  function placesIn(names: readonly string[]): number[] {
    const places = fields.map(() => -1);
    names.forEach((name, place) => {
      const field = indexOf.get(name) ?? indexOf.get(name.toLowerCase());
      if (field !== undefined) places[field] = place;
    });
    return places;
  }

  return function read(json: JsonObject, path: string, errors: FieldErrors): Record<string, unknown> {
    if (json.names !== lastNames) {
      lastPlaces = placesIn(json.names);
      lastNames = json.names;
    }
    const values: Record<string, unknown> = {};
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index]!;
      const place = lastPlaces[index]!;
      const value = place < 0 ? null : json.values[place]!;
      const { shape } = field;
      const missing = value === null || (field.required ? shape.isBlank?.(value) : shape.isNone?.(value));
      if (missing && field.required) errors[field.name] = [`The ${field.name} field is required.`];
      values[field.member] = missing ? field.default : shape.read(value, field, path, errors);
    }
    return values;
  };
}

export function objectSchema(members: Members): Schema {
  const names = Object.keys(members).filter((name) => members[name]!.required);
  const properties = Object.entries(members).map(([name, { shape, about, default: value, required: needed }]) => [
    name,
    {
      ...(needed ? shape.schema : nullable(shape.schema)),
      description: about,
      ...(value !== undefined && { default: value }),
    },
  ]);
  return {
    type: 'object',
    ...(names.length > 0 && { required: names }),
    properties: Object.fromEntries(properties),
  };
}

/** An optional member given as null means not given. */
function nullable(schema: Schema): Schema {
  return { ...schema, type: [schema.type, 'null'].flat() };
}
