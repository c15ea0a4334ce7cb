/** Reads users of another system, with the phone numbers they verified there. */
import type { FieldErrors } from '../errors.ts';
import { JsonObject, JsonNumber, type Json } from '../formats/json.ts';
import { int32, memberReader, optional, required, filterText, WrongType } from '../formats/shape.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { ImportedUser } from './user.ts';

type UserReading = { user: ImportedUser } | { errors: FieldErrors };

const truths: Record<string, boolean> = { true: true, yes: true, '1': true, false: false, no: false, '0': false };

const members = {
  id: required(int32(), 'User identifier.'),
  phone: optional(
    filterText({ trim: true, parse: parsePhoneNumber, message: 'The {0} field is not a valid phone number.' }),
    'Phone number in E.164 format.',
  ),
  verified: optional(
    filterText({
      trim: true,
      parse: (word) => (word.toLowerCase() in truths ? { is: truths[word.toLowerCase()]! } : undefined),
      message: 'The field {0} must be true or false.',
    }),
    'Whether the phone is verified.',
  ),
};

const readMembers = memberReader(members);

export function readUser(json: Json): UserReading {
  if (!(json instanceof JsonObject)) return { errors: new WrongType('$', 'User').errors };
  const errors: FieldErrors = {};
  const values = readMembers(asTexts(json), '$.', errors);
  if (values instanceof WrongType) return { errors: values.errors };
  const {
    id,
    phone: phoneNumber,
    verified,
  } = values as {
    id: number;
    phone: PhoneNumber | undefined;
    verified: { is: boolean } | undefined;
  };
  const isVerified = verified?.is ?? false;
  if (isVerified && !phoneNumber && !errors.Phone) errors.Phone = ['The Phone field is required for a verified user.'];
  return Object.keys(errors).length > 0 ? { errors } : { user: { id, phoneNumber, verified: isVerified } };
}

/** A boolean, as JSON or as text. */
function asTexts(json: JsonObject): JsonObject {
  const text = (value: Json) =>
    typeof value === 'boolean' ? String(value) : value instanceof JsonNumber ? value.text : value;
  return new JsonObject(json.names, json.values.map(text));
}
