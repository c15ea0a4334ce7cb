/** What `<ledgerline-confirm>` offers. */
import type { Attributes } from '../define-element.ts';
import { shared, type ElementDescription } from '../description.ts';

export const attributes = {
  confirmation: 'string',
  amount: 'string',
  currency: 'string',
  payee: 'string',
  phone: 'string',
  'code-length': 'number',
  'expires-in': 'number',
  'resend-seconds': 'number',
  channels: 'string',
  locale: 'string',
  'hide-title': 'boolean',
  autofocus: 'boolean',
} as const satisfies Attributes;

const { 'base-url': _, ...sharedAttributes } = shared.attributes;

export const description: ElementDescription<typeof attributes> = {
  tag: 'ledgerline-confirm',
  className: 'LedgerlineConfirm',
  about: 'A form for the code of one payment or other act. It never calls the service: the page answers its events.',
  attributeKinds: attributes,
  attributes: {
    ...sharedAttributes,
    confirmation: { about: 'The id of the confirmation; nothing is shown without it, and another one starts over.' },
    amount: { about: 'The amount, as a decimal.' },
    currency: { about: 'The currency of the amount.' },
    payee: { about: 'Who gets it.' },
    phone: { about: 'Where the code was sent, as it is shown.' },
    'code-length': { about: 'How many digits the code has: 6 if not given.' },
    'expires-in': { about: 'How many seconds the code is valid, from when this or confirmation is set.' },
  },
  properties: { texts: shared.texts, now: shared.now },
  methods: { enterCode: { parameters: 'code: string', about: 'Enters a code that the app has read itself.' } },
  events: {
    'ledgerline-code': { detail: 'CodeDetail', about: 'A code was entered: have it checked, and answer.' },
    'ledgerline-resend': { detail: 'ResendDetail', about: 'Have the code sent again, and answer.' },
    'ledgerline-approved': { detail: 'EndedDetail', about: 'The answer was yes.' },
    'ledgerline-failed': { detail: 'FailedDetail', about: 'The answer was no, or there was none.' },
    'ledgerline-expired': { detail: 'EndedDetail', about: 'The time of the code is over.' },
  },
  parts: {
    ...shared.codeParts,
    amount: 'The amount.',
    payee: 'The payee.',
    approved: 'The last step.',
    ended: 'The step after a final failure.',
  },
  slots: { '': 'Shown when it is approved.', ended: 'Shown after a final failure.' },
};
