/**
 * The order of the gateways for a country. It is the configured one, but a gateway whose messages arrive or
 * are used clearly less often than another's goes behind it, for as long as the numbers of the window say so.
 */
export interface GatewayNumbers {
  gateway: string;
  accepted: number;
  delivered: number;
  failed: number;
  verified: number;
}

export interface OrderBounds {
  /** Messages that a gateway must have carried before anything is concluded. */
  leastMessages: number;
  /** Percentage points that it must be behind. */
  marginPercent: number;
}

export interface Decision {
  order: string[];
  /** Why it is not the configured order; empty when it is. */
  reasons: string[];
}

export function decideOrder(
  configured: readonly string[],
  numbers: readonly GatewayNumbers[],
  bounds: OrderBounds,
): Decision {
  const known = new Map(numbers.map((one) => [one.gateway, one]));
  const reasons = new Map<string, string>();
  for (const name of configured) {
    const one = known.get(name);
    if (!one || one.accepted < bounds.leastMessages) continue;
    const reason = configured
      .filter((other) => other !== name)
      .flatMap((other) => known.get(other) ?? [])
      .map((other) => whyBehind(one, other, bounds))
      .find((found) => found !== undefined);
    if (reason) reasons.set(name, reason);
  }
  // Those that fell behind keep their order among themselves.
  const order = [...configured.filter((name) => !reasons.has(name)), ...configured.filter((name) => reasons.has(name))];
  const moved = order.some((name, index) => name !== configured[index]);
  return moved ? { order, reasons: [...reasons.values()] } : { order: [...configured], reasons: [] };
}

function whyBehind(one: GatewayNumbers, other: GatewayNumbers, bounds: OrderBounds): string | undefined {
  if (other.accepted < bounds.leastMessages) return undefined;
  const measures: [string, (numbers: GatewayNumbers) => number | undefined][] = [
    ['delivered', ({ delivered, failed }) => percentage(delivered, delivered + failed, bounds.leastMessages)],
    ['used', ({ verified, accepted }) => percentage(verified, accepted, bounds.leastMessages)],
  ];
  for (const [word, measure] of measures) {
    const mine = measure(one);
    const theirs = measure(other);
    if (mine === undefined || theirs === undefined || theirs - mine <= bounds.marginPercent) continue;
    return `${one.gateway} ${Math.round(mine)}% ${word}, ${other.gateway} ${Math.round(theirs)}%`;
  }
  return undefined;
}

function percentage(part: number, whole: number, least: number): number | undefined {
  return whole >= least ? (100 * part) / whole : undefined;
}
