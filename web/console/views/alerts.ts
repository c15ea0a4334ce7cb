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
import { t } from '../texts.ts';

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
    ...(overview.isQuiet ? [{ key: 'quiet', text: t.alerts.quiet, href: hrefOf('settings') }] : []),
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
      text: reason ? t.alerts.gatewayReason(gateway, reason) : t.alerts.gateway(gateway),
      href: hrefOf('messages', '', { gateway }),
    }));
}

/** A range that is closed, with the evidence of its latest refusal. */
function rangeAlerts(blocks: readonly GuardBlock[], decisions: readonly GuardDecision[]): Alert[] {
  return blocks
    .filter(({ rule }) => rule === 'prefix')
    .map(({ id, subject }) => {
      const name = id.slice('prefix:'.length);
      const range = subject;
      const figures = decisions.find((decision) => decision.figures?.name === name)?.figures;
      const text = figures
        ? t.alerts.closedRangeEvidence(range, evidenceSentence(figures))
        : t.alerts.closedRange(range);
      return { key: id, text, href: hrefOf('guard', '', { rule: 'prefix' }) };
    });
}

function spendAlerts(usage: readonly GuardRuleUsage[]): Alert[] {
  const limits = usage.find(({ rule }) => rule === 'spend')?.limits ?? [];
  return limits.flatMap(({ subject, used, limit }) => {
    if (limit === null || used < nearShare * limit) return [];
    const share = formatShare(used, limit);
    const text = subject === null ? t.alerts.spendInAll(share) : t.alerts.spend(countryName(subject), share);
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
      return { ...alert, text: t.alerts.noVerification(name, formatNumber(accepted)) };
    }
    const earlier = before.get(country) ?? { accepted: 0, verified: 0 };
    const isKnown = Math.min(accepted, earlier.accepted) >= leastTextsForTrend;
    if (!isKnown || verified / accepted >= earlier.verified / earlier.accepted / 2) return [];
    const shares = [formatShare(verified, accepted), formatShare(earlier.verified, earlier.accepted)] as const;
    return { ...alert, text: t.alerts.fall(name, ...shares) };
  });
}

function endpointAlert(
  { id, url, enabled, disabledReason, oldestDueAt }: OperatorWebhookEndpoint,
  now: number,
): Alert[] {
  const alert = (text: string) => [{ key: `endpoint ${id}`, text, href: hrefOf('webhooks', id) }];
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (!enabled && disabledReason !== 'request') return alert(t.alerts.disabled(host));
  if (!enabled || oldestDueAt === null) return [];
  const milliseconds = now - Date.parse(oldestDueAt);
  return milliseconds < behindMilliseconds ? [] : alert(t.alerts.behind(host, formatSpan(milliseconds / 1000)));
}
