/** What `<ledgerline-verify>` offers. */
import type { Attributes } from '../define-element.ts';
import { shared, type ElementDescription } from '../description.ts';

export const attributes = {
  user: 'number',
  'base-url': 'string',
  country: 'string',
  countries: 'string',
  locale: 'string',
  mode: 'string',
  'confirmation-id': 'string',
  'correlation-type': 'number',
  'resend-seconds': 'number',
  channels: 'string',
  'hide-title': 'boolean',
  autofocus: 'boolean',
} as const satisfies Attributes;

export const description: ElementDescription<typeof attributes> = {
  tag: 'ledgerline-verify',
  className: 'LedgerlineVerify',
  about: 'A form that verifies a phone number.',
  attributeKinds: attributes,
  attributes: {
    ...shared.attributes,
    user: { about: 'The id of the user whose number is verified; instead of it getUserId may be set.' },
    country: { about: 'The country that is chosen at first, as an ISO code.' },
    countries: { about: 'The countries that can be chosen, separated by commas.' },
    mode: { about: 'change: another number of a user who is verified already.', values: "'' | 'change'" },
    'confirmation-id': { about: 'With mode="change": the approved confirmation, which a user-bound token needs.' },
    'correlation-type': { about: '1 for merchant flows.', values: '0 | 1' },
  },
  properties: {
    getToken: shared.token,
    getUserId: {
      type: '(() => number | Promise<number>) | undefined',
      about: 'Instead of the attribute user, for a user that is created only when a code is sent.',
    },
    texts: shared.texts,
    fetch: { type: 'typeof fetch', about: 'Replaces the fetch of the browser.' },
    now: shared.now,
    chosenCountry: { type: 'string | undefined', about: 'The country that is chosen now.', isReadonly: true },
  },
  methods: {
    enterNumber: {
      parameters: 'text: string',
      about: 'Fills in a number, in E.164 or as people of the chosen country write it.',
    },
    enterCode: { parameters: 'code: string', about: 'Enters a code that the app has read itself.' },
    reset: { parameters: '', about: 'Starts over with the same country.' },
  },
  events: {
    'ledgerline-sent': { detail: 'SentDetail', about: 'A code was sent.' },
    'ledgerline-verified': { detail: 'VerifiedDetail', about: 'The number is verified.' },
    'ledgerline-failed': { detail: 'FailedDetail', about: 'A step failed.' },
    'ledgerline-step': { detail: 'StepDetail', about: 'Another step is shown.' },
  },
  parts: {
    ...shared.codeParts,
    country: 'The button of the country.',
    'country-list': 'The list of countries.',
    number: 'The field of the number.',
    change: 'The button back to the number.',
    verified: 'The last step.',
  },
  slots: { '': 'Shown below the last sentence when the number is verified.' },
};
