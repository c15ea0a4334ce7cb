/**
 * Details: what a row may have besides the fields of the list. They are stored apart from the row, as JSON text with the
 * members in the order of this list, and are joined to the row's JSON when someone asks for them.
 */
import { readJson } from '../../formats/json-reader.ts';
import { JsonObject, writeJson, type Json } from '../../formats/json.ts';
import { sameAmount } from '../amount.ts';
import { quoted } from '../transaction.ts';

/** In the order in which they are returned. */
export const detailNames = [
  ...(['senderIban', 'receiverIban', 'senderBic', 'receiverBic', 'accountNumber'] as const),
  ...(['senderEmail', 'receiverEmail', 'merchant', 'cardNetwork', 'cardPan', 'cardAlias'] as const),
  ...(['paymentProvider', 'purposeDet', 'scaStatus', 'reference'] as const),
  ...(['transactionFee', 'originalAmount', 'balanceAfter'] as const),
  ...(['feeCurrency', 'originalCurrency', 'additionalData'] as const),
] as const;

export type DetailName = (typeof detailNames)[number];

/** Their values are JSON numbers. */
export const decimalDetails: ReadonlySet<string> = new Set(['transactionFee', 'originalAmount', 'balanceAfter']);

/** Values as text; additionalData as JSON text. An empty text removes the detail. */
export type DetailValues = Partial<Record<DetailName, string>>;

const isDetail: ReadonlySet<string> = new Set(detailNames);

/** Most rows have no details. To look at the members of a row takes a third of the time of looking for every detail. */
function hasDetails(values: DetailValues): boolean {
  for (const name in values) if (isDetail.has(name)) return true;
  return false;
}

/** Undefined if no detail is given. */
export function writeDetails(values: DetailValues): string | undefined {
  if (!hasDetails(values)) return undefined;
  let members = '';
  for (const name of detailNames) {
    const value = values[name];
    if (value !== undefined) members += `${members === '' ? '{' : ','}"${name}":${writeValue(name, value)}`;
  }
  return members === '' ? undefined : `${members}}`;
}

function writeValue(name: DetailName, value: string): string {
  return value !== '' && (name === 'additionalData' || decimalDetails.has(name)) ? value : quoted(value);
}

/** The value in a patch that removes a detail. */
const removal = '""';

/** The stored details, changed by those of a later row: what it leaves out stays, and an empty text removes. */
export function mergeDetails(stored: string | undefined, given: string | undefined): string | undefined {
  if (given === undefined || given === stored) return stored;
  if (stored === undefined && !given.includes(removal)) return given;
  const before = membersOf(stored);
  const patch = membersOf(given);
  const merged = detailNames.flatMap((name) => {
    const value = patch.get(name) ?? before.get(name);
    return value === undefined || value === '' ? [] : [`"${name}":${writeJson(value)}`];
  });
  return merged.length === 0 ? undefined : `{${merged.join(',')}}`;
}

function membersOf(details: string | undefined): Map<string, Json> {
  if (details === undefined) return new Map();
  const { names, values } = readJson(details) as JsonObject;
  return new Map(names.map((name, index) => [name, values[index]!]));
}

/** Decimals are compared by value, and additionalData regardless of the order of members. */
export function sameDetails(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  const [first, second] = [membersOf(a), membersOf(b)];
  return first.size === second.size && [...first].every(([name, value]) => isSameDetail(name, value, second.get(name)));
}

function isSameDetail(name: string, a: Json, b: Json | undefined): boolean {
  if (b === undefined) return false;
  if (decimalDetails.has(name)) return sameAmount(writeJson(a), writeJson(b));
  return writeJson(inNameOrder(a)) === writeJson(inNameOrder(b));
}

/** The same value with the members of every object sorted by name; repeated ones stay in their order. */
function inNameOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inNameOrder);
  if (!(value instanceof JsonObject)) return value;
  const members = value.names
    .map((name, index) => ({ name, value: inNameOrder(value.values[index]!) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return new JsonObject(
    members.map(({ name }) => name),
    members.map((member) => member.value),
  );
}
