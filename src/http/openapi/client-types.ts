/** Generates the client's types from the schemas of the OpenAPI document. */
import type { Schema } from '../../formats/shape.ts';
import type { OpenApiDocument } from './openapi.ts';
import { openEnum } from './responses.ts';

export function clientTypes({ components }: Pick<OpenApiDocument, 'components'>): string {
  const missing = missingMembers(components.schemas);
  const declarations = Object.entries(components.schemas).map(([name, schema]) =>
    declaration(name, schema, missing.get(name)),
  );
  return `/** Made from the schemas of the operations by \`npm run generate\`; do not edit. */\n\n${declarations.join('\n\n')}\n`;
}

/**
 * For each type of a union, the members that only other types of the union have. Declared as undefined, they can be read
 * without asking for the type first.
 */
function missingMembers(schemas: Record<string, Schema>): Map<string, string[]> {
  const missing = new Map<string, string[]>();
  const membersOf = (name: string) => Object.keys(schemas[name]?.properties ?? {});
  for (const { oneOf } of Object.values(schemas)) {
    const names = Array.isArray(oneOf) ? (oneOf as Schema[]).map(typeOf) : [];
    const all = [...new Set(names.flatMap(membersOf))];
    for (const name of names)
      missing.set(
        name,
        all.filter((member) => !membersOf(name).includes(member)),
      );
  }
  return missing;
}

function declaration(name: string, schema: Schema, missing: string[] = []): string {
  if (schema.type !== 'object') return `export type ${name} = ${typeOf(schema)};`;
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  const members = Object.entries(properties).map(([member, value]) => {
    const about = value.description ? `  /** ${value.description} */\n` : '';
    // With exactOptionalPropertyTypes, a caller could otherwise not pass a value that may be undefined.
    return required.includes(member)
      ? `${about}  ${member}: ${typeOf(value)};`
      : `${about}  ${member}?: ${typeOf(value)} | undefined;`;
  });
  members.push(...missing.map((member) => `  ${member}?: undefined;`));
  return `export interface ${name} {\n${members.join('\n')}\n}`;
}

const primitives: Record<string, string> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!;
  if (Array.isArray(schema[openEnum])) return union(schema[openEnum].map(literal));
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.oneOf)) return union((schema.oneOf as Schema[]).map(typeOf));
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  return union(types.map((type) => oneType(String(type), schema)));
}

function oneType(type: string, { items, additionalProperties }: Schema): string {
  if (type === 'array') {
    const item = items ? typeOf(items as Schema) : 'unknown';
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object') {
    return `Record<string, ${additionalProperties instanceof Object ? typeOf(additionalProperties as Schema) : 'unknown'}>`;
  }
  return primitives[type] ?? 'unknown';
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}
