/** What an operator should look at first, from the figures of the overview and the state of the webhook endpoints. */
import type { OperatorOverview, OperatorWebhookEndpoint, OverviewDay } from '../../client/index.ts';
import { countryName, formatNumber, formatShare } from './format.ts';

export interface Alert {
  key: string;
  text: string;
  /** The view that shows more. */
  href: string;
}

/** Texts to one country from which on it is remarkable that nobody uses the code. */
const leastTexts = 20;
/** Texts in both spans from which on a fall of the verified share says something. */
const leastTextsForTrend = 50;
const behindMilliseconds = 5 * 60_000;

interface Figures {
  overview: Pick<OperatorOverview, 'gateways'>;
  /** The days of the span that is shown. */
  days: readonly OverviewDay[];
  /** The days of the span before. */
  daysBefore: readonly OverviewDay[];
  endpoints: readonly OperatorWebhookEndpoint[];
  /** Milliseconds since 1970. */
  now: number;
}

export function alertsOf({ overview, days, daysBefore, endpoints, now }: Figures): Alert[] {
  return [
    ...gatewayAlerts(overview.gateways),
    ...countryAlerts(days, daysBefore),
    ...endpoints.flatMap((endpoint) => endpointAlert(endpoint, now)),
  ];
}

function gatewayAlerts(gateways: OperatorOverview['gateways']): Alert[] {
  return gateways
    .filter(({ breaker }) => breaker !== 'closed')
    .map(({ gateway, reason }) => ({
      key: `gateway ${gateway}`,
      text: `${gateway} is left out because it fails${reason ? `: ${reason}` : ''}. Other gateways are asked.`,
      href: '#overview',
    }));
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
    const key = `country ${country}`;
    const name = countryName(country);
    if (accepted >= leastTexts && verified === 0) {
      const text = `${name}: ${formatNumber(accepted)} texts, and nobody used the code. It may be an attack, or texts that do not arrive.`;
      return { key, text, href: '#guard' };
    }
    const earlier = before.get(country) ?? { accepted: 0, verified: 0 };
    const isKnown = Math.min(accepted, earlier.accepted) >= leastTextsForTrend;
    if (!isKnown || verified / accepted >= earlier.verified / earlier.accepted / 2) return [];
    const shares = [formatShare(verified, accepted), formatShare(earlier.verified, earlier.accepted)];
    return { key, text: `${name}: ${shares[0]} of the codes were used, after ${shares[1]} before.`, href: '#guard' };
  });
}

function endpointAlert(
  { id, url, enabled, disabledReason, oldestDueAt }: OperatorWebhookEndpoint,
  now: number,
): Alert[] {
  const alert = (text: string) => [{ key: `endpoint ${id}`, text, href: '#webhooks' }];
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (!enabled && disabledReason !== 'request') return alert(`The webhook endpoint at ${host} was disabled.`);
  if (!enabled || oldestDueAt === null) return [];
  const minutes = Math.floor((now - Date.parse(oldestDueAt)) / 60_000);
  if (minutes * 60_000 < behindMilliseconds) return [];
  return alert(`The webhook endpoint at ${host} is ${formatNumber(minutes)} minutes behind.`);
}
