import { integer, listOf, nullable, number, record } from '../../../formats/record.ts';
import { int32, required, text, withDefault } from '../../../formats/shape.ts';
import type { ReadPerformance } from '../../../messages/performance.ts';
import { operation, operatorRead, reply } from '../../operation.ts';
import { query } from '../../query-shape.ts';

const times = {
  delivered: required(integer(), 'Messages that a receipt reported as delivered.'),
  medianSeconds: required(nullable(number()), 'Half of them arrived within this time after the gateway accepted them.'),
  p95Seconds: required(nullable(number()), '95 of 100 arrived within this time.'),
};

const span = record('SpanFigures', {
  cost: required(
    number(),
    'Messages that a gateway may have sent, each segment of a text, by LEDGERLINE_PRICES for their countries and channels.',
  ),
  ...times,
});

const performance = record('OperatorPerformance', {
  current: required(span, 'The last days, today included.'),
  before: required(span, 'As many days before.'),
  gateways: required(
    listOf(record('GatewayPerformance', { gateway: required(text(), 'The gateway.'), ...times })),
    'The last days by gateway.',
  ),
  countries: required(
    listOf(
      record('CountryCost', {
        country: required(nullable(text()), 'ISO 3166 code.'),
        cost: required(number(), 'What the messages cost.'),
      }),
    ),
    'The last days by country.',
  ),
  channels: required(
    listOf(
      record('ChannelPerformance', {
        channel: required(text(), 'sms, whatsapp or voice.'),
        accepted: required(integer(), 'Messages that a gateway accepted or may have accepted.'),
        cost: required(number(), 'What they cost.'),
        ...times,
      }),
    ),
    'The last days by channel.',
  ),
});

const maximumDays = 90;

export const operatorPerformanceOperation = (readPerformance: ReadPerformance) =>
  operation({
    ...operatorRead,
    name: 'operator-performance',
    method: 'GET',
    path: '/operator/performance',
    summary: 'Get cost and delivery time',
    about:
      'What messages cost and how long they took to arrive, compared with the same number of days before. Prices by leading digits of a number are not used here: only the country is stored.',
    query: query({ days: withDefault(int32(1, maximumDays), 7, 'How many days, today included.') }),
    responses: { 200: { about: 'The figures.', shape: performance } },
    handle: async ({ query: { days }, owner }) => reply(200, performance, await readPerformance(days, owner)),
  });
