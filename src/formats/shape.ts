/**
 * What the JSON of a request must look like. One definition reads it, refuses it with the sentences .NET uses,
 * and describes it in OpenAPI. Values that passed are not checked again.
 */
import { invalidFields, type FieldErrors } from '../errors.ts';
import type { Kept } from './json-reader.ts';
import { JsonNumber, JsonObject, writeJson, type Json } from './json.ts';

export type Schema = Record<string, unknown>;

/** The name of a member in the JSON, and .NET's spelling of the field. */
export interface Field {
  member: string;
  name: string;
}

export interface Shape<T> {
  schema: Schema;
  /** The value; or undefined, and `errors` says why; or the wrong type. `path` is where the object is in the body. */
  read(json: Json, field: Field, path: string, errors: FieldErrors): T | WrongType | undefined;
  /** Whether a required value counts as missing: [Required] refuses a blank string too. */
  isBlank?(json: Json): boolean;
  /** Whether an optional value counts as not given. */
  isNone?(json: Json): boolean;
  /** Which parts inside the value are kept when a large body is read; none by default. */
  kept?: Kept;
}

/**
 * A value is of another JSON type. As in .NET's reader, nothing after it is read. A plain value without a stack: each
 * row of a large body may have one.
 */
export class WrongType {
  readonly path: string;
  readonly message: string;

  static of(path: string, { member }: Field, type: string): WrongType {
    return new WrongType(path + member, type);
  }

  constructor(path: string, type: string) {
    this.path = path;
    this.message = `The JSON value could not be converted to ${type}. Path: ${path}.`;
  }

  get errors(): FieldErrors {
    return { [this.path]: [this.message] };
  }
}

function refuse(errors: FieldErrors, { name }: Field, message: string): undefined {
  (errors[name] ??= []).push(message.replaceAll('{0}', name));
  return undefined;
}

const tooLong = (maxLength: number) => `The field {0} must be a string with a maximum length of ${maxLength}.`;

/** An integer may be given as a numeric string, and 1.0 is 1. */
export function int32(minimum = 1, maximum = 2_147_483_647): Shape<number> {
  return {
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    read(json, field, path, errors) {
      const text = json instanceof JsonNumber ? json.text : typeof json === 'string' ? json : '';
      const number = json instanceof JsonNumber || /^-?\d+(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isInteger(number)) return WrongType.of(path, field, 'System.Int32');
      if (number >= minimum && number <= maximum) return number;
      return refuse(errors, field, `The field {0} must be between ${minimum} and ${maximum}.`);
    },
  };
}

interface TextOptions<T> {
  /** Whether white space around the text is dropped. */
  trim?: boolean;
  /** In UTF-16 code units, as .NET counts. */
  maxLength?: number;
  /** Parses the value; undefined means that it is refused. */
  parse?(text: string): T | undefined;
  message?: string;
  schema?: Schema;
}

/** The one character that PostgreSQL cannot store. */
const nulCharacter = '\u0000';

function readText<T>(given: string, options: TextOptions<T>, field: Field, errors: FieldErrors): T | undefined {
  const text = options.trim ? given.trim() : given;
  if (options.maxLength !== undefined && text.length > options.maxLength) {
    return refuse(errors, field, tooLong(options.maxLength));
  }
  const value = options.parse ? options.parse(text) : (text as T);
  if (value === undefined) return refuse(errors, field, options.message!);
  if (text.includes(nulCharacter)) return refuse(errors, field, 'The field {0} must not contain the character U+0000.');
  return value;
}

const isEmptyText = (json: Json) => json === '';
const isBlankText = (json: Json) => typeof json === 'string' && json.trim() === '';

export function text<T = string>(options: TextOptions<T> = {}): Shape<T> {
  const length = options.maxLength === undefined ? {} : { maxLength: options.maxLength };
  return {
    schema: { type: 'string', ...length, ...options.schema },
    isBlank: isBlankText,
    read(json, field, path, errors) {
      if (typeof json !== 'string') return WrongType.of(path, field, 'System.String');
      return readText(json, options, field, errors);
    },
  };
}

/** A text for which empty means not given; blank does too where it is trimmed. */
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
      if (typeof json !== 'string' && !(json instanceof JsonNumber)) return WrongType.of(path, field, 'System.Decimal');
      const given = json instanceof JsonNumber ? json.text : json;
      return parse(given, json instanceof JsonNumber) ?? refuse(errors, field, message);
    },
  };
}

/** An object of any content, as JSON text without white space. */
export function objectText(maxLength: number): Shape<string> {
  return {
    schema: { type: 'object', additionalProperties: true },
    // Each value takes at least one character.
    kept: { maxValues: maxLength },
    read(json, field, path, errors) {
      if (!(json instanceof JsonObject)) return WrongType.of(path, field, 'System.Object');
      const text = writeJson(json);
      return text.length > maxLength ? refuse(errors, field, tooLong(maxLength)) : text;
    },
  };
}

export interface Member<T> {
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
export type Members = Record<string, Member<any>>;
export type ValuesOf<M> = { [K in keyof M]: M[K] extends Member<infer T> ? T : never };

export interface Body<T> {
  /** The model's name, in OpenAPI and in .NET's message about a body that is not an object. */
  name: string;
  schema: Schema;
  /** Which parts are kept when a large body is read. */
  kept: Kept;
  /** Throws what is wrong with the body. */
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
    kept: keptMembers(members),
    read(json) {
      if (!(json instanceof JsonObject)) throw invalidFields(new WrongType('$', name).errors);
      const errors: FieldErrors = {};
      const values = read(json, '$.', errors);
      if (values instanceof WrongType) throw invalidFields(values.errors);
      check(values as ValuesOf<M>, errors);
      if (Object.keys(errors).length > 0) throw invalidFields(errors);
      return values as ValuesOf<M>;
    },
  };
}

/** Which parts are kept of a large object with these members. */
export function keptMembers(members: Members): Kept {
  return {
    members: new Map(Object.entries(members).map(([name, { shape }]) => [name.toLowerCase(), shape.kept ?? {}])),
  };
}

/** Member names match in any case, unknown ones are ignored, and the last one of repeated members counts. */
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

  /**
   * The fields to read, each with the index of its value among the members. Objects of one list share their names, and
   * so these places too. An optional field that is absent is not read: rows have many of them.
   */
  let lastNames: readonly string[] = [];
  let lastPlaces = placesIn([]);
  function placesIn(names: readonly string[]) {
    const places = fields.map(() => -1);
    names.forEach((name, place) => {
      const field = indexOf.get(name) ?? indexOf.get(name.toLowerCase());
      if (field !== undefined) places[field] = place;
    });
    return fields
      .map((field, index) => ({ field, place: places[index]! }))
      .filter(({ field, place }) => place >= 0 || field.required || field.default !== undefined);
  }

  return function read(json: JsonObject, path: string, errors: FieldErrors): Record<string, unknown> | WrongType {
    if (json.names !== lastNames) {
      lastPlaces = placesIn(json.names);
      lastNames = json.names;
    }
    const values: Record<string, unknown> = {};
    for (const { field, place } of lastPlaces) {
      const given = place < 0 ? null : json.values[place]!;
      const { shape } = field;
      const isMissing = given === null || (field.required ? shape.isBlank?.(given) : shape.isNone?.(given));
      if (isMissing && field.required) errors[field.name] = [`The ${field.name} field is required.`];
      const value: unknown = isMissing ? field.default : shape.read(given, field, path, errors);
      if (value instanceof WrongType) return value;
      values[field.member] = value;
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
