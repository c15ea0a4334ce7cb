import { invalidFields } from '../../errors.ts';
import type { ReadOverview } from '../../messages/overview.ts';
import type { Schema } from '../../formats/shape.ts';
import { jsonType, operation, queryOf } from '../operation.ts';

const tag = 'Operator';
const instant: Schema = { type: 'string', format: 'date-time' };
const count = (description: string): Schema => ({ type: 'integer', description });
const text = (description: string): Schema => ({ type: 'string', description });
const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });

function object(title: string, properties: Record<string, Schema>, optional: string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { title, type: 'object', required, properties };
}

const list = (items: Schema): Schema => ({ type: 'array', items });

const trailSchema = object('UserTrail', {
  id: count('The user.'),
  messages: list(
    object('TrailMessage', {
      number: count('The code’s number among the user’s.'),
      phoneNumber: text('Masked.'),
      country: textOrNull('ISO 3166 code.'),
      correlationType: { type: 'integer' },
      locale: text('Language of the template.'),
      segments: count('SMS segments it took.'),
      gateway: text('Who accepted it, or was asked last.'),
      gatewayMessageId: textOrNull('The gateway’s own name for it.'),
      outcome: text('verified, expired, or else the state.'),
      state: text('refused (by every gateway), accepted, delivered or failed.'),
      reason: textOrNull('Why it was refused or failed.'),
      requestedAt: instant,
      answeredAt: instant,
      stateAt: instant,
      expiresAt: instant,
      verifiedAt: { type: ['string', 'null'], format: 'date-time' },
      tries: list(
        object(
          'TrailTry',
          {
            gateway: { type: 'string' },
            outcome: text('accepted, refused (the destination), unavailable, or unknown: the text may arrive.'),
            reason: { type: 'string' },
            milliseconds: { type: 'number' },
          },
          ['reason'],
        ),
      ),
    }),
  ),
  events: list(
    object('TrailEvent', {
      at: instant,
      kind: text('send-refused, verify-refused, verified or phone-unlinked.'),
      reason: textOrNull('Why.'),
      times: count('How often within a minute.'),
    }),
  ),
});

export const readTrailOperation = (readTrail: (userId: number) => Promise<string>) =>
  operation({
    name: 'operator-trail',
    method: 'GET',
    path: '/operator/users/{id}/trail',
    tag,
    summary: 'A user’s verifications, step by step',
    about: 'Newest first, the last 200 of each kind. Numbers are masked, and no code stands in it.',
    scopes: ['operator:read'],
    responses: { 200: { about: 'The trail.', schema: trailSchema }, 404: { about: 'Unknown user.' } },
    namesUser: ({ id }) => id,
    handle: async ({ id }) => ({ status: 200, body: await readTrail(id), contentType: jsonType }),
  });

const overviewSchema = object('OperatorOverview', {
  days: list(
    object('OverviewDay', {
      day: { type: 'string', format: 'date', description: 'UTC.' },
      country: textOrNull('ISO 3166 code.'),
      gateway: { type: 'string' },
      sent: count('Messages whose last word this gateway had.'),
      accepted: count('Of those, accepted.'),
      delivered: count('Of those, delivered by its receipts.'),
      failed: count('Failed by its receipts, or accepted by nobody.'),
      verified: count('Whose code was used.'),
      passedOver: count('Times it was asked and could not take a message.'),
    }),
  ),
  configuredOrder: list({ type: 'string' }),
  gateways: list(
    object(
      'GatewayHealth',
      {
        gateway: { type: 'string' },
        breaker: {
          type: 'string',
          enum: ['closed', 'open', 'probing'],
          description: 'closed: in use; open: left out since it failed; probing: one message tries it.',
        },
        reason: text('Why it is left out.'),
        probeInSeconds: count('When the next message tries it.'),
        pausedSeconds: count('The gateway asked us to wait this long.'),
      },
      ['reason', 'probeInSeconds', 'pausedSeconds'],
    ),
  ),
  orders: list(
    object('GatewayOrder', {
      country: textOrNull('ISO 3166 code.'),
      order: list({ type: 'string' }),
      reasons: list(text('Why it is not the configured order.')),
      since: instant,
    }),
  ),
});

const mostDays = 366;

export const overviewOperation = (readOverview: ReadOverview) =>
  operation({
    name: 'operator-overview',
    method: 'GET',
    path: '/operator/overview',
    tag,
    summary: 'Messages by day, country and gateway, and how the gateways do',
    about:
      'Days newest first. orders lists the countries whose order of gateways is not the configured one; health and orders are those of the node that answers.',
    scopes: ['operator:read'],
    query: { days: `How many days, today included: 1 to ${mostDays}, default 7.` },
    responses: { 200: { about: 'The overview.', schema: overviewSchema } },
    async handle({ request }) {
      const given = queryOf(request).get('days') ?? '7';
      const days = /^\d{1,3}$/.test(given) ? Number(given) : 0;
      if (days < 1 || days > mostDays) {
        throw invalidFields({ Days: [`The field Days must be between 1 and ${mostDays}.`] });
      }
      return { status: 200, body: await readOverview(days), contentType: jsonType };
    },
  });
