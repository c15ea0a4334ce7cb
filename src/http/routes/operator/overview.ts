import { boolean, instant, integer, listOf, nullable, record, word } from '../../../formats/record.ts';
import { int32, optional, required, text, withDefault } from '../../../formats/shape.ts';
import type { ReadOverview } from '../../../messages/overview.ts';
import { jsonText, operation, operatorRead } from '../../operation.ts';
import { query } from '../../query-shape.ts';

const day = record('OverviewDay', {
  day: required(text({ schema: { format: 'date' } }), 'UTC.'),
  country: required(nullable(text()), 'ISO 3166 code.'),
  gateway: required(text(), 'The gateway.'),
  sent: required(integer(), 'Messages for which this gateway was the last one asked.'),
  accepted: required(integer(), 'Of those, accepted.'),
  delivered: required(integer(), 'Of those, delivered by its receipts.'),
  failed: required(integer(), 'Failed by its receipts, or accepted by no gateway.'),
  receipts: required(integer(), 'Delivered or failed by its receipts.'),
  verified: required(
    integer(),
    'Messages whose code was used; of several messages with one code the last, and those that were delivered.',
  ),
  passedOver: required(integer(), 'Times it was asked and could not accept a message.'),
});

const gateway = record('GatewayHealth', {
  gateway: required(text(), 'The gateway.'),
  breaker: required(
    word(['closed', 'open', 'probing']),
    'closed: in use; open: not used because it failed; probing: one message tests it.',
  ),
  reason: optional(text(), 'Why it is left out.'),
  probeInSeconds: optional(integer(), 'When the next message tests it.'),
  pausedSeconds: optional(integer(), 'How long the gateway asked us to wait.'),
});

const order = record('GatewayOrder', {
  country: required(nullable(text()), 'ISO 3166 code.'),
  order: required(listOf(text()), 'The gateways, in the order in which they are asked.'),
  reasons: required(listOf(text()), 'Why it is not the configured order.'),
  since: required(instant(), 'Since when.'),
});

const overview = record('OperatorOverview', {
  isQuiet: required(boolean(), 'Whether the service sends no texts and no webhooks (LEDGERLINE_QUIET).'),
  days: required(listOf(day), 'Newest first.'),
  configuredOrder: required(listOf(text()), 'The order of the gateways by configuration.'),
  gateways: required(listOf(gateway), 'The state of each gateway, at the process that answers.'),
  orders: required(listOf(order), 'Countries whose order is not the configured one, at the process that answers.'),
});

const maximumDays = 366;

export const overviewOperation = (readOverview: ReadOverview) =>
  operation({
    ...operatorRead,
    name: 'operator-overview',
    method: 'GET',
    path: '/operator/overview',
    summary: 'Get the overview',
    about: 'The messages by day, country and gateway, and the state of the gateways.',
    query: query({ days: withDefault(int32(1, maximumDays), 7, 'How many days, today included.') }),
    responses: { 200: { about: 'The overview.', shape: overview } },
    handle: async ({ query: { days }, owner }) => jsonText(200, await readOverview(days, owner)),
  });
