/** What an operator should look at first, from the figures of the overview, the guard and the webhook endpoints. */
import type {
  GuardBlock,
  GuardDecision,
  GuardRuleUsage,
  OperatorOverview,
  OperatorWebhookEndpoint,
  OverviewDay,
} from '../../../client/index.ts';
import { evidenceSentence } from './evidence.ts';
import { hrefOf } from '../hrefs.ts';
import { countryName, formatNumber, formatShare, formatSpan } from '../format.ts';

export interface Alert {
  key: string;
  text: string;
  /** The view that shows more. */
  href: string;
}

/** Minimum number of texts to one country for an alert that no code was used. */
const leastTexts = 20;
/** Minimum number of texts in both spans for an alert that the verified share has fallen. */
const leastTextsForTrend = 50;
const behindMilliseconds = 5 * 60_000;
/** The share of a spending limit from which on there is an alert. */
const nearShare = 0.8;

interface Figures {
  overview: Pick<OperatorOverview, 'gateways' | 'isQuiet'>;
  /** The days of the span that is shown. */
  days: readonly OverviewDay[];
  /** The days of the span before. */
  daysBefore: readonly OverviewDay[];
  endpoints: readonly OperatorWebhookEndpoint[];
  blocks?: readonly GuardBlock[];
  /** The latest decisions about ranges, newest first. */
  rangeDecisions?: readonly GuardDecision[];
  usage?: readonly GuardRuleUsage[];
  /** Milliseconds since 1970. */
  now: number;
}

export function alertsOf(figures: Figures): Alert[] {
  const { overview, days, daysBefore, endpoints, blocks = [], rangeDecisions = [], usage = [], now } = figures;
  return [
    ...(overview.isQuiet
      ? [{ key: 'quiet', text: 'The service is quiet: no text and no webhook is sent.', href: hrefOf('settings') }]
      : []),
    ...gatewayAlerts(overview.gateways),
    ...rangeAlerts(blocks, rangeDecisions),
    ...spendAlerts(usage),
    ...countryAlerts(days, daysBefore),
    ...endpoints.flatMap((endpoint) => endpointAlert(endpoint, now)),
  ];
}

function gatewayAlerts(gateways: OperatorOverview['gateways']): Alert[] {
  return gateways
    .filter(({ breaker }) => breaker !== 'closed')
    .map(({ gateway, reason }) => ({
      key: `gateway ${gateway}`,
      text: `${gateway} is not used because it fails${reason ? `: ${reason}` : ''}. Other gateways are asked.`,
      href: hrefOf('messages', '', { gateway }),
    }));
}

/** A range that is closed, with the evidence of its latest refusal. */
function rangeAlerts(blocks: readonly GuardBlock[], decisions: readonly GuardDecision[]): Alert[] {
  return blocks
    .filter(({ rule }) => rule === 'prefix')
    .map(({ id, subject: range }) => {
      const name = id.slice('prefix:'.length);
      const figures = decisions.find((decision) => decision.figures?.name === name)?.figures;
      const evidence = figures ? `: ${evidenceSentence(figures)}` : '';
      const text = `Codes to ${range} are refused${evidence}.`;
      return { key: id, text, href: hrefOf('guard', '', { rule: 'prefix' }) };
    });
}

function spendAlerts(usage: readonly GuardRuleUsage[]): Alert[] {
  const limits = usage.find(({ rule }) => rule === 'spend')?.limits ?? [];
  return limits.flatMap(({ subject, used, limit }) => {
    if (limit === null || used < nearShare * limit) return [];
    const share = formatShare(used, limit);
    const where = subject === null ? '' : `${countryName(subject)}: `;
    const text = `${where}${share} of what may be spent today is used.`;
    return { key: `spend ${subject}`, text, href: hrefOf('guard') };
  });
}

interface Conversion {
  accepted: number;
  verified: number;
}

function conversions(days: readonly OverviewDay[]): Map<string | null, Conversion> {
  const byCountry = new Map<string | null, Conversion>();
  for (const { country, accepted, verified } of days) {
    const sums = byCountry.get(country) ?? { accepted: 0, verified: 0 };
    byCountry.set(country, { accepted: sums.accepted + accepted, verified: sums.verified + verified });
  }
  return byCountry;
}

function countryAlerts(days: readonly OverviewDay[], daysBefore: readonly OverviewDay[]): Alert[] {
  const before = conversions(daysBefore);
  return [...conversions(days)].flatMap(([country, { accepted, verified }]) => {
    const name = countryName(country);
    const alert = { key: `country ${country}`, href: hrefOf('messages', '', { country: country ?? undefined }) };
    if (accepted >= leastTexts && verified === 0) {
      return {
        ...alert,
        text: `${name}: ${formatNumber(accepted)} texts, and nobody used the code. It may be an attack, or texts that do not arrive.`,
      };
    }
    const earlier = before.get(country) ?? { accepted: 0, verified: 0 };
    const isKnown = Math.min(accepted, earlier.accepted) >= leastTextsForTrend;
    if (!isKnown || verified / accepted >= earlier.verified / earlier.accepted / 2) return [];
    const [share, shareBefore] = [formatShare(verified, accepted), formatShare(earlier.verified, earlier.accepted)];
    return { ...alert, text: `${name}: ${share} of the codes were used; before that, it was ${shareBefore}.` };
  });
}

function endpointAlert(
  { id, url, enabled, disabledReason, oldestDueAt }: OperatorWebhookEndpoint,
  now: number,
): Alert[] {
  const alert = (text: string) => [{ key: `endpoint ${id}`, text, href: hrefOf('webhooks', id) }];
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (!enabled && disabledReason !== 'request') return alert(`The webhook endpoint at ${host} was disabled.`);
  if (!enabled || oldestDueAt === null) return [];
  const milliseconds = now - Date.parse(oldestDueAt);
  return milliseconds < behindMilliseconds
    ? []
    : alert(`The webhook endpoint at ${host} is ${formatSpan(milliseconds / 1000)} behind.`);
}
