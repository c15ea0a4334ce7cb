/**
 * The order of the gateways for a country. It is the configured order, with one exception: a gateway whose messages are
 * delivered, or whose codes are used, clearly less often than another gateway's is moved to the end, as long as its
 * figures are worse.
 */
export interface GatewayFigures {
  gateway: string;
  accepted: number;
  delivered: number;
  failed: number;
  verified: number;
}

export interface OrderLimits {
  /** The number of messages that a gateway must have sent before its figures are used. */
  minMessages: number;
  /** The percentage points by which it must be worse than another gateway. */
  marginPercent: number;
  /** Below this percentage it is moved to the end even if the others have no figures. */
  floorPercent: number;
}

export interface OrderDecision {
  order: string[];
  /** Why it is not the configured order; empty if it is. */
  reasons: string[];
}

export function decideOrder(
  configured: readonly string[],
  figures: readonly GatewayFigures[],
  limits: OrderLimits,
  /** Whether two gateways can replace one another: what one channel delivers says nothing about another. */
  areRivals: (one: string, other: string) => boolean = () => true,
): OrderDecision {
  const byName = new Map(figures.map((each) => [each.gateway, each]));
  const reasons = new Map<string, string>();
  for (const name of configured) {
    const own = byName.get(name);
    if (!own || own.accepted < limits.minMessages) continue;
    const others = configured
      .filter((other) => other !== name && areRivals(name, other))
      .flatMap((other) => byName.get(other) ?? []);
    const reason = findBetter(own, others, limits) ?? findTooLow(own, limits);
    if (reason) reasons.set(name, reason);
  }
  // The gateways that are moved keep their relative order.
  const order = [...configured.filter((name) => !reasons.has(name)), ...configured.filter((name) => reasons.has(name))];
  const hasChanged = order.some((name, index) => name !== configured[index]);
  return hasChanged ? { order, reasons: [...reasons.values()] } : { order: [...configured], reasons: [] };
}

interface Measure {
  name: string;
  count(figures: GatewayFigures): number;
  total(figures: GatewayFigures): number;
}

const measures: Measure[] = [
  { name: 'delivered', count: ({ delivered }) => delivered, total: ({ delivered, failed }) => delivered + failed },
  { name: 'used', count: ({ verified }) => verified, total: ({ accepted }) => accepted },
];

/** The percentage for each measure that has enough messages. */
function percentagesOf(figures: GatewayFigures, { minMessages }: OrderLimits): Map<string, number> {
  const sufficient = measures.filter(({ total }) => total(figures) >= minMessages);
  return new Map(sufficient.map(({ name, count, total }) => [name, (100 * count(figures)) / total(figures)]));
}

function findBetter(own: GatewayFigures, others: GatewayFigures[], limits: OrderLimits): string | undefined {
  for (const other of others) {
    const theirs = percentagesOf(other, limits);
    for (const [measure, percent] of percentagesOf(own, limits)) {
      const better = theirs.get(measure);
      if (better === undefined || better - percent <= limits.marginPercent) continue;
      return `${own.gateway} ${Math.round(percent)}% ${measure}, ${other.gateway} ${Math.round(better)}%`;
    }
  }
  return undefined;
}

function findTooLow(own: GatewayFigures, limits: OrderLimits): string | undefined {
  for (const [measure, percent] of percentagesOf(own, limits)) {
    if (percent < limits.floorPercent) {
      return `${own.gateway} ${Math.round(percent)}% ${measure}, less than ${limits.floorPercent}%`;
    }
  }
  return undefined;
}
