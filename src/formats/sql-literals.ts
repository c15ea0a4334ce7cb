/** Values in PostgreSQL's text format. */

export type CompositeField = string | number | boolean | Buffer | null;

/** A value of a composite type. Quoting every field is always correct. */
export function compositeLiteral(fields: readonly CompositeField[]): string {
  return `(${fields.map((field) => (field === null ? '' : quoted(asText(field)))).join(',')})`;
}

/** An array. Quoting every text is always correct, and a single pass is fast. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => (value === null ? 'null' : typeof value === 'number' ? value : quoted(value))).join(',')}}`;
}

/** Part of a statement's text, for values that do not come from a request. */
export function constant(text: string, type: string): string {
  return `'${text.replaceAll("'", "''")}'::${type}`;
}

function asText(field: Exclude<CompositeField, null>): string {
  return Buffer.isBuffer(field) ? `\\x${field.toString('hex')}` : String(field);
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`;
}
