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
  /** Below this it goes behind the others even if nothing is known of them. */
  floorPercent: number;
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
    const why = reason ?? whyTooLow(one, bounds);
    if (why) reasons.set(name, why);
  }
  // Those that fell behind keep their order among themselves.
  const order = [...configured.filter((name) => !reasons.has(name)), ...configured.filter((name) => reasons.has(name))];
  const moved = order.some((name, index) => name !== configured[index]);
  return moved ? { order, reasons: [...reasons.values()] } : { order: [...configured], reasons: [] };
}

const measures: [word: string, part: (of: GatewayNumbers) => number, whole: (of: GatewayNumbers) => number][] = [
  ['delivered', ({ delivered }) => delivered, ({ delivered, failed }) => delivered + failed],
  ['used', ({ verified }) => verified, ({ accepted }) => accepted],
];

/** By each measure that enough is known of. */
function percentages(numbers: GatewayNumbers, { leastMessages }: OrderBounds): Map<string, number> {
  return new Map(
    measures.flatMap(([word, part, whole]) =>
      whole(numbers) >= leastMessages ? [[word, (100 * part(numbers)) / whole(numbers)] as const] : [],
    ),
  );
}

function whyBehind(one: GatewayNumbers, other: GatewayNumbers, bounds: OrderBounds): string | undefined {
  const theirs = percentages(other, bounds);
  for (const [word, mine] of percentages(one, bounds)) {
    const better = theirs.get(word);
    if (better === undefined || better - mine <= bounds.marginPercent) continue;
    return `${one.gateway} ${Math.round(mine)}% ${word}, ${other.gateway} ${Math.round(better)}%`;
  }
  return undefined;
}

function whyTooLow(one: GatewayNumbers, bounds: OrderBounds): string | undefined {
  for (const [word, mine] of percentages(one, bounds)) {
    if (mine < bounds.floorPercent) {
      return `${one.gateway} ${Math.round(mine)}% ${word}, less than ${bounds.floorPercent}%`;
    }
  }
  return undefined;
}
