/** A phone number in a request, for every operation that takes one. */
import { text } from '../../../formats/shape.ts';
import { parsePhoneNumber } from '../../../values/phone-number.ts';

export const phoneNumberText = text({
  parse: parsePhoneNumber,
  message: 'The {0} field is not a valid phone number.',
  schema: { pattern: '^\\+[1-9]\\d{6,14}$' },
});
