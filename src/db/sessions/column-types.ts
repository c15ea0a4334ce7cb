/** How the texts of columns are read. Types that are not listed stay texts: int8, numeric and arrays among them. */

type Read = (text: string) => unknown;

const asDate: Read = (text) => new Date(text);
const asJson: Read = (text) => JSON.parse(text) as unknown;
const asText: Read = (text) => text;

/** By the numbers of the types in PostgreSQL (pg_type.oid). */
const readers: Readonly<Record<number, Read>> = {
  // boolean, bytea
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  // int2, int4, oid, float4, float8
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  // json, jsonb
  114: asJson,
  3802: asJson,
  // date, timestamp, timestamptz
  1082: asDate,
  1114: asDate,
  1184: asDate,
};

export const columnTypes = { getTypeParser: ((type: number) => readers[type] ?? asText) as never };
