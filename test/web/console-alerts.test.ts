import { describe, expect, it } from 'vitest';
import type {
  GuardBlock,
  GuardDecision,
  GuardRuleUsage,
  OperatorWebhookEndpoint,
  OverviewDay,
} from '../../client/index.ts';
import { alertsOf } from '../../web/console/views/alerts.ts';

const now = Date.parse('2026-03-08T12:00:00Z');

const day = (country: string, accepted: number, verified: number): OverviewDay => ({
  day: '2026-03-08',
  country,
  gateway: 'inbox',
  sent: accepted,
  accepted,
  delivered: 0,
  failed: 0,
  receipts: 0,
  verified,
  passedOver: 0,
});

const endpoint = (state: Partial<OperatorWebhookEndpoint>): OperatorWebhookEndpoint => ({
  id: 1,
  url: 'https://example.com/hooks',
  types: [],
  description: null,
  enabled: true,
  disabledReason: null,
  createdAt: '2026-03-01T00:00:00Z',
  failingSince: null,
  isTried: true,
  due: 0,
  oldestDueAt: null,
  ...state,
});

const quiet = { overview: { gateways: [], isQuiet: false }, days: [], daysBefore: [], endpoints: [], now };
const texts = (figures: Partial<Parameters<typeof alertsOf>[0]>) =>
  alertsOf({ ...quiet, ...figures }).map(({ text }) => text);

it('there is no alert while everything goes well', () => {
  expect(texts({ days: [day('GB', 100, 80)], daysBefore: [day('GB', 90, 70)], endpoints: [endpoint({})] })).toEqual([]);
});

it('a service that sends nothing has an alert', () => {
  expect(texts({ overview: { gateways: [], isQuiet: true } })).toEqual([
    'The service is quiet: no text and no webhook is sent.',
  ]);
});

it('a gateway that is not used has an alert with the reason', () => {
  expect(
    texts({ overview: { isQuiet: false, gateways: [{ gateway: 'twilio', breaker: 'open', reason: 'timeout' }] } }),
  ).toEqual(['twilio is not used because it fails: timeout. Other gateways are asked.']);
});

describe('a country has an alert', () => {
  it('if it got many texts and nobody used a code', () => {
    expect(texts({ days: [day('GB', 12, 0), day('GB', 8, 0), day('FR', 19, 0)] })).toEqual([
      expect.stringMatching(/^United Kingdom: 20 texts, and nobody used the code\./),
    ]);
  });

  it('if its share of used codes fell to less than half', () => {
    const daysBefore = [day('GB', 100, 80), day('FR', 100, 80), day('IT', 40, 40)];
    expect(texts({ days: [day('GB', 100, 30), day('FR', 100, 41), day('IT', 100, 10)], daysBefore })).toEqual([
      'United Kingdom: 30% of the codes were used; before that, it was 80%.',
    ]);
  });
});

describe('a webhook endpoint has an alert', () => {
  it('if it is minutes or days behind', () => {
    expect(texts({ endpoints: [endpoint({ due: 3, oldestDueAt: '2026-03-08T11:50:30Z' })] })).toEqual([
      'The webhook endpoint at example.com is 10 min behind.',
    ]);
    expect(texts({ endpoints: [endpoint({ due: 3, oldestDueAt: '2026-03-05T12:00:00Z' })] })).toEqual([
      'The webhook endpoint at example.com is 3 days behind.',
    ]);
    expect(texts({ endpoints: [endpoint({ due: 3, oldestDueAt: '2026-03-08T11:58:30Z' })] })).toEqual([]);
  });

  it('if it was disabled, unless a client asked for it', () => {
    expect(texts({ endpoints: [endpoint({ enabled: false, disabledReason: 'failing' })] })).toEqual([
      'The webhook endpoint at example.com was disabled.',
    ]);
    expect(texts({ endpoints: [endpoint({ enabled: false, disabledReason: 'request' })] })).toEqual([]);
  });
});

describe('the guard has an alert', () => {
  const block: GuardBlock = {
    id: 'prefix:+25191123',
    rule: 'prefix',
    subject: '+25191123…',
    userIds: null,
    until: '2026-03-08T13:00:00Z',
  };
  const decision: GuardDecision = {
    id: 1,
    at: '2026-03-08T11:00:00Z',
    rule: 'prefix',
    action: 'refused',
    operation: 'send-code',
    userId: 1,
    phone: '+25…27',
    phoneKey: null,
    country: 'ET',
    source: null,
    evidence: 'in the words of the service',
    figures: {
      level: 'range',
      name: '+25191123',
      sent: 20,
      normalSent: 0.5,
      verifiedPercent: 5,
      normalVerifiedPercent: 60,
      unverified: 19,
      failed: 0,
      reported: 0,
    },
  };

  it('for a range that it closed, with the evidence if it is still known', () => {
    expect(texts({ blocks: [block], rangeDecisions: [decision] })).toEqual([
      'Codes to +25191123… are refused: 20 codes in the last hour (normal: 0.5), 5% of them verified (normal: 60%); 19 unverified in the last day.',
    ]);
    const other = { ...decision, figures: { ...decision.figures!, name: '+2519112' } };
    expect(texts({ blocks: [block], rangeDecisions: [other] })).toEqual(['Codes to +25191123… are refused.']);
  });

  it('for spending that is near its limit', () => {
    const limit = { userId: null, seconds: null, blockSeconds: null };
    const spend = (used: number): GuardRuleUsage => ({
      rule: 'spend',
      counts: 'money',
      limits: [
        { ...limit, subject: null, used, limit: 100 },
        { ...limit, subject: 'GB', used, limit: 100 },
      ],
    });
    expect(texts({ usage: [spend(79)] })).toEqual([]);
    expect(texts({ usage: [spend(80)] })).toEqual([
      '80% of what may be spent today is used.',
      'United Kingdom: 80% of what may be spent today is used.',
    ]);
  });
});
