/** The language of a message, for every operation that sends one. */
import { filterText, optional } from '../../formats/shape.ts';

export const localeMember = optional(
  filterText({
    trim: true,
    parse: (given) => (/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(given) ? given : undefined),
    message: 'The field {0} must be a language such as en or pt-BR.',
  }),
  'Language of the message, such as en or pt-BR. If absent, the one that LEDGERLINE_LOCALE names for the phone’s country.',
);
