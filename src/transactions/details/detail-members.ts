/** The details of an incoming row: their checks, and their descriptions in OpenAPI. */
import { JsonNumber } from '../../formats/json.ts';
import { decimal, objectText, optional, text, type Member, type Shape } from '../../formats/shape.ts';
import { parseEmail } from '../../values/email.ts';
import { parseAmount } from '../amount.ts';
import { maxDetailLengths } from '../limits.ts';
import { parseBic, parseIban, parseMaskedPan } from './account-numbers.ts';
import type { DetailName } from './details.ts';

/** An empty text passes, whatever the form: it removes the detail. */
function removable(shape: Shape<string>): Shape<string> {
  const { type } = shape.schema;
  const types = [type].flat();
  return {
    ...shape,
    schema: types.includes('string') ? shape.schema : { ...shape.schema, type: [...types, 'string'] },
    read: (json, field, path, errors) => (json === '' ? '' : shape.read(json, field, path, errors)),
  };
}

const detail = (shape: Shape<string>, about: string) => optional(removable(shape), about);

const word = (about: string, maxLength: number = maxDetailLengths.word) => detail(text({ maxLength }), about);

const checked = (
  about: string,
  { maxLength = maxDetailLengths.word, ...rest }: Parameters<typeof text<string>>[0] & object,
) => detail(text({ maxLength, ...rest }), about);

const iban = (about: string) => checked(about, { parse: parseIban, message: 'The field {0} must be a valid IBAN.' });
const bic = (about: string) => checked(about, { parse: parseBic, message: 'The field {0} must be a valid BIC.' });
const email = (about: string) =>
  checked(about, { maxLength: maxDetailLengths.email, parse: parseEmail, message: 'Invalid email address' });

/** Refuses a number like a text: a full card number may come as either. */
function maskedPan(): Shape<string> {
  const shape = text({
    maxLength: maxDetailLengths.word,
    parse: parseMaskedPan,
    message: 'The field {0} must be masked.',
    schema: { examples: ['411111******1111'] },
  });
  return {
    ...shape,
    read: (json, field, path, errors) => shape.read(json instanceof JsonNumber ? json.text : json, field, path, errors),
  };
}

const amount = (about: string) =>
  detail(
    decimal<string>(
      parseAmount,
      'The field {0} must be a non-negative decimal with up to 20 digits before the point and 6 after.',
      { type: ['number', 'string'], minimum: 0, pattern: '^(\\d{1,20}(\\.\\d{1,6})?)?$' },
    ),
    about,
  );

function parseBalance(given: string, isNumber: boolean): string | undefined {
  const isNegative = given.startsWith('-');
  const size = parseAmount(isNegative ? given.slice(1) : given, isNumber);
  return size !== undefined && isNegative && /[1-9]/.test(size) ? `-${size}` : size;
}

const balance = (about: string) =>
  detail(
    decimal<string>(
      parseBalance,
      'The field {0} must be a decimal with up to 20 digits before the point and 6 after.',
      { type: ['number', 'string'], pattern: '^(-?\\d{1,20}(\\.\\d{1,6})?)?$' },
    ),
    about,
  );

const currency = (about: string) =>
  checked(about, {
    parse: (code) => (/^\s*[A-Za-z]{3}\s*$/.test(code) ? code.trim().toUpperCase() : undefined),
    message: 'The field {0} must be an ISO 4217 code.',
  });

/** In the order of `detailNames`. */
export const detailMembers: Record<DetailName, Member<string | undefined>> = {
  senderIban: iban('IBAN of the sender.'),
  receiverIban: iban('IBAN of the receiver.'),
  senderBic: bic('BIC of the sender’s bank.'),
  receiverBic: bic('BIC of the receiver’s bank.'),
  accountNumber: word('Number of an account that has no IBAN.', maxDetailLengths.reference),
  senderEmail: email('E-mail address of the sender.'),
  receiverEmail: email('E-mail address of the receiver.'),
  merchant: word('Merchant.', maxDetailLengths.merchant),
  cardNetwork: word('Network of the card.'),
  cardPan: detail(
    maskedPan(),
    'Card number, masked: at most the first six and the last four digits, and *, x or • between them.',
  ),
  cardAlias: word('Name that the holder gave the card.'),
  paymentProvider: word('Provider that carried the payment.'),
  purposeDet: word('Purpose of the payment.', maxDetailLengths.purposeDet),
  scaStatus: word('Outcome of the strong customer authentication.'),
  reference: word('Reference of the payment, such as its end-to-end id.', maxDetailLengths.reference),
  transactionFee: amount('Fee, in feeCurrency.'),
  originalAmount: amount('Amount before it was exchanged, in originalCurrency.'),
  balanceAfter: balance('Balance after the transaction. It may be negative.'),
  feeCurrency: currency('ISO 4217 code of the fee.'),
  originalCurrency: currency('ISO 4217 code of originalAmount.'),
  additionalData: detail(
    objectText(maxDetailLengths.additionalData),
    'Anything else; at most 4,096 characters as JSON without white space. A later one replaces it as a whole.',
  ),
};
