/**
 * The catalogue of events: every type, when it is written, and what its data contains. The reference in docs/events.md,
 * the OpenAPI `webhooks`, the client's types and the tests are made from this table.
 *
 * Data never contains a code, a full phone number, a name, a note or an amount: a receiver that needs more asks the
 * API.
 */
import { channels } from '../sms/channels.ts';
import type { Schema } from '../formats/shape.ts';

export interface EventEntry {
  /** When the event is written, for the reference. */
  when: string;
  /** Present if the event is not always about a user, whose userId is in the data, and who has a sequence of events. */
  about?: 'user or nobody' | 'nobody';
  /** The members of the data besides userId. All of them are always present, except the optional ones. */
  data: Record<string, Schema>;
  optional?: readonly string[];
}

const text = (description: string): Schema => ({ type: 'string', description });
const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });
const integer = (description: string): Schema => ({ type: 'integer', description });
const instant = (description: string): Schema => ({ type: 'string', format: 'date-time', description });
const instantOrNull = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
});
const oneOf = (values: string[], description: string): Schema => ({ type: 'string', enum: values, description });

const country = textOrNull('ISO 3166 code of the phone number’s country, or null if unknown.');
const codeNumber = integer('The number of the code among the user’s.');
const gateway = text('Name of the gateway.');
const channel = oneOf([...channels], 'How it was sent.');
const aboutCode = {
  for: oneOf(['verification', 'change', 'confirmation'], 'What the code is for.'),
  confirmationId: { type: 'string', format: 'uuid', description: 'The confirmation, if the code is for one.' },
} satisfies Record<string, Schema>;
const optional = ['confirmationId'];
const purpose = text('What was to be confirmed.');
const rule = text('Name of the guard’s rule.');

/** Maximum number of ids in one event; all of them are available from the API. */
export const listedTransactions = { recorded: 20, updated: 100 };

function transactionIds(limit: number): Record<string, Schema> {
  return {
    transactionIds: { type: 'array', items: { type: 'string' }, maxItems: limit, description: `Up to ${limit} ids.` },
    more: { type: 'boolean', description: 'Whether there are more ids than listed.' },
  };
}

const endpointId = integer('The webhook endpoint.');

export const eventCatalogue = {
  'user.created': {
    when: 'A user was created, by POST /User or by `ledgerline import-users`.',
    data: {},
  },
  'user.erased': {
    when: 'A user was erased. It comes after `phone.unlinked`, and it is the user’s last event, except `operator.acted`.',
    data: { retainedUntil: instantOrNull('When the retained transactions are removed; null if nothing is retained.') },
  },
  'phone.code_sent': {
    when: 'A gateway accepted a code, or may have accepted it.',
    data: {
      country,
      correlationType: integer('0: individual; 1: merchant flow.'),
      gateway,
      channel,
      outcome: oneOf(['accepted', 'unknown'], 'unknown: no gateway confirmed, and the text may arrive.'),
      codeNumber,
      ...aboutCode,
    },
    optional,
  },
  'phone.send_failed': {
    when: 'No gateway accepted a code, or the destination was refused.',
    data: {
      country,
      reason: oneOf(
        ['refused', 'unavailable'],
        'refused: a gateway refused the destination, and the send is counted. unavailable: no gateway accepted it.',
      ),
      ...aboutCode,
    },
    optional,
  },
  'phone.delivery_changed': {
    when: 'A receipt changed the state of a message.',
    data: { codeNumber, state: oneOf(['delivered', 'failed'], 'The new state.'), gateway, channel, ...aboutCode },
    optional,
  },
  'phone.verified': {
    when: 'A phone number was verified and linked to the user.',
    data: { country },
  },
  'phone.changed': {
    when: 'Another number was linked in place of the user’s. There is no `phone.verified` or `phone.unlinked` for it.',
    data: { country, previousCountry: textOrNull('The same for the number before.') },
  },
  'phone.unlinked': {
    when: 'The phone number was unlinked from the user, who is unverified again.',
    data: { country, by: oneOf(['client', 'operator', 'erasure'], 'Who unlinked it. client: a service token.') },
  },
  'confirmation.approved': {
    when: 'A check of a confirmation succeeded.',
    data: { confirmationId: aboutCode.confirmationId, purpose },
  },
  'confirmation.failed': {
    when: 'A confirmation ended because no attempts were left, or because a check named other terms.',
    data: {
      confirmationId: aboutCode.confirmationId,
      purpose,
      reason: oneOf(['attempts', 'mismatch'], 'mismatch: a check named other terms, and the confirmation is void.'),
    },
  },
  'phone.verification_blocked': {
    when: 'Verification, or the checks of confirmations, of a known user were blocked after too many failures.',
    data: { until: instant('When the block ends.'), rule },
  },
  'phone.block_lifted': {
    when: 'An operator lifted a user’s block.',
    data: { until: instant('When the block would have ended.'), rule },
  },
  'transactions.recorded': {
    when: 'Transactions of the user were recorded: one event for each individual and commit.',
    data: { count: integer('How many were recorded.'), ...transactionIds(listedTransactions.recorded) },
  },
  'transactions.updated': {
    when: 'Transactions of the user were changed: one event for each individual and commit.',
    data: transactionIds(listedTransactions.updated),
  },
  'guard.rule_fired': {
    when: 'A rule of the guard refused a request, or would have in shadow mode: the first time in an hour for the rule and the country.',
    about: 'nobody',
    data: {
      rule,
      country,
      mode: oneOf(['shadow', 'enforce'], 'The mode of the rule.'),
      evidence: textOrNull(
        'What the rule saw, in one sentence; null if the name of the rule is enough. It may contain a range of 10,000 numbers or more.',
      ),
    },
  },
  'gateway.down': {
    when: 'A process stopped using a gateway because it failed.',
    about: 'nobody',
    data: { gateway, reason: text('Why.') },
  },
  'gateway.up': {
    when: 'A process uses a gateway again.',
    about: 'nobody',
    data: { gateway, reason: text('Why.') },
  },
  'operator.acted': {
    when: 'An operator changed or revealed something, or a user was erased or given their data: every audited action.',
    about: 'user or nobody',
    data: {
      action: text('What was done.'),
      actor: text('Who did it: the subject of the token, or cli: and the account.'),
      target: text('What it was done to. Phone numbers are masked.'),
    },
  },
  'endpoint.disabled': {
    when: 'A webhook endpoint was disabled. It is sent to the other endpoints.',
    about: 'nobody',
    data: { endpointId, reason: text('Why.') },
  },
  'endpoint.delivery_failed': {
    when: 'The last try of a delivery failed. It is sent to the other endpoints.',
    about: 'nobody',
    data: { endpointId, reason: text('Why the last try failed.') },
  },
} as const satisfies Record<string, EventEntry>;

export type EventType = keyof typeof eventCatalogue;

export const eventTypes = Object.keys(eventCatalogue) as EventType[];

/** Sent by the operation `test` only; it is not in the log, and an endpoint cannot subscribe to it. */
export const testEventType = 'endpoint.test';

/** The data of `endpoint.test`, for the reference. */
export const testEventEntry: EventEntry = {
  when: 'A test was requested. The event is sent immediately, only to that endpoint, and is not in `GET /events`.',
  about: 'nobody',
  data: { endpointId },
};

const userId = integer('The user the event is about.');

/** The JSON Schema of an event as it is sent. */
export function eventSchema(type: string, { about, data, when, optional = [] }: EventEntry): Schema {
  const name = type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const members = { ...(about !== 'nobody' && { userId }), ...data };
  const isOptional = (member: string) =>
    optional.includes(member) || (about === 'user or nobody' && member === 'userId');
  return {
    title: `${name}Event`,
    type: 'object',
    description: when,
    required: ['id', 'type', 'timestamp', ...(about === undefined ? ['sequence'] : []), 'data'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'The same on every delivery of the event.' },
      type: { type: 'string', const: type },
      timestamp: instant('When it happened, by the service’s clock.'),
      ...(about !== 'nobody' && {
        sequence: integer(
          'Counts the user’s events, without gaps: one count for transactions.*, another for all others.',
        ),
      }),
      data: {
        title: `${name}Data`,
        type: 'object',
        required: Object.keys(members).filter((member) => !isOptional(member)),
        properties: members,
      },
    },
  };
}

export const catalogueEntries = Object.entries<EventEntry>(eventCatalogue);
