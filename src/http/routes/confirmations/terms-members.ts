/** Amount, currency and payee in a request. */
import type { Json } from '../../../formats/json.ts';
import { filterText, optional, type Shape } from '../../../formats/shape.ts';
import { amountShape } from '../../../transactions/row.ts';

export const purposeLength = 64;
const payeeLength = 140;

export const amountMember = optional(
  amountShape,
  'What is paid: a number, whose digits are kept, or a decimal string.',
);

/**
 * The payee of a check. One that no confirmation can have is no error: it only differs. Two spellings of one letter are
 * the same payee.
 */
export const anyPayee = filterText({ trim: true, maxLength: payeeLength, parse: (given) => given.normalize('NFC') });

/** Control characters, line breaks, and characters that change the direction of the text around them. */
const forbidden = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const hasForbidden = (json: Json) => typeof json === 'string' && forbidden.test(json);

/** The payee of a new confirmation: a line of text. Spaces alone mean none; a line break alone is refused. */
export const payeeText: Shape<string> = {
  ...anyPayee,
  isNone: (json) => !hasForbidden(json) && anyPayee.isNone!(json),
  read(json, field, path, errors) {
    if (!hasForbidden(json)) return anyPayee.read(json, field, path, errors);
    errors[field.name] = [`The field ${field.name} must not contain control characters or line breaks.`];
    return undefined;
  },
};
