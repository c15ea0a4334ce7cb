/**
 * Hands a message to the first gateway that takes it, in order, within a budget. The same code goes out
 * by the second gateway, so that it does not matter if the first sent it after all.
 */
import { createBreaker, type Breaker, type BreakerState } from './breaker.ts';
import { outcomesOf, type Gateway, type Message, type Outcome } from './gateway.ts';

export interface Try {
  gateway: string;
  outcome: 'accepted' | 'rejected' | 'unavailable';
  reason?: string;
  /** Left open whether the text went out. */
  maybeSent?: boolean;
  milliseconds: number;
}

export interface Dispatch {
  outcome: Outcome;
  tries: Try[];
  /** When it may be worth asking again, after a failure. */
  retryAfterSeconds: number;
}

export interface FailoverOptions {
  gateways: readonly Gateway[];
  /** The names to try for a country, first to last. */
  orderFor(country: string | undefined): readonly string[];
  /** For one gateway. */
  gatewayMilliseconds: number;
  /** For the whole of a send. */
  budgetMilliseconds: number;
  breaker: { failures: number; openMilliseconds: number; longestMilliseconds: number };
  now(): number;
  onTry(one: Try): void;
  onBreaker(gateway: string, state: BreakerState, reason: string | undefined): void;
}

export interface GatewayHealth {
  gateway: string;
  breaker: BreakerState;
  reason?: string;
  probeInSeconds?: number;
}

/** Less than this is too little for anybody to answer in. */
const leastMilliseconds = 100;
const retryPauseMilliseconds = 250;

export type Failover = ReturnType<typeof createFailover>;

export function createFailover(options: FailoverOptions) {
  const { now } = options;
  const lanes = new Map(
    options.gateways.map((gateway) => {
      const onChange = (state: BreakerState, reason: string | undefined) =>
        options.onBreaker(gateway.name, state, reason);
      return [gateway.name, { gateway, breaker: createBreaker({ ...options.breaker, now, onChange }) }] as const;
    }),
  );

  async function send(message: Message): Promise<Dispatch> {
    const ends = now() + options.budgetMilliseconds;
    const tries: Try[] = [];
    const order = options.orderFor(message.country).flatMap((name) => lanes.get(name) ?? []);
    let last: Outcome = outcomesOf('none').unsent('no gateway is in working order');

    for (const lane of order) {
      if (ends - now() < leastMilliseconds) break;
      if (!lane.breaker.admit()) continue;
      last = await ask(lane, message, ends, tries);
      if (last.kind !== 'unavailable') return { outcome: last, tries, retryAfterSeconds: 1 };
    }

    // All have failed. One of them may be asked again, if that cannot make a second text.
    const again = order.find(({ gateway, breaker }) => {
      const [before] = tries.filter((one) => one.gateway === gateway.name);
      return before && (gateway.idempotent || !before.maybeSent) && breaker.state === 'closed';
    });
    if (again && ends - now() > retryPauseMilliseconds + leastMilliseconds) {
      await new Promise((resolve) => setTimeout(resolve, retryPauseMilliseconds));
      if (again.breaker.admit()) last = await ask(again, message, ends, tries);
    }
    return { outcome: last, tries, retryAfterSeconds: retryAfter(order) };
  }

  async function ask(
    { gateway, breaker }: { gateway: Gateway; breaker: Breaker },
    message: Message,
    ends: number,
    tries: Try[],
  ): Promise<Outcome> {
    const begun = now();
    const within = Math.min(options.gatewayMilliseconds, ends - begun);
    const outcome = await inTime(gateway, message, within);
    if (outcome.kind === 'unavailable') breaker.failed(outcome.reason);
    else breaker.succeeded();
    const one: Try = {
      gateway: gateway.name,
      outcome: outcome.kind,
      ...(outcome.kind !== 'accepted' && { reason: outcome.reason }),
      ...(outcome.kind === 'unavailable' && outcome.maybeSent && { maybeSent: true }),
      milliseconds: Math.round(now() - begun),
    };
    tries.push(one);
    options.onTry(one);
    return outcome;
  }

  /** The next probe of any gateway is the next chance; while one is closed, soon. */
  function retryAfter(order: readonly { breaker: Breaker }[]): number {
    const waits = order.map(({ breaker }) => breaker.waitMilliseconds);
    return Math.max(1, Math.ceil(Math.min(...(waits.length > 0 ? waits : [5000])) / 1000));
  }

  return {
    send,
    health(): GatewayHealth[] {
      return [...lanes.values()].map(({ gateway, breaker }) => ({
        gateway: gateway.name,
        breaker: breaker.state,
        ...(breaker.reason !== undefined && { reason: breaker.reason }),
        ...(breaker.state !== 'closed' && { probeInSeconds: Math.ceil(breaker.waitMilliseconds / 1000) }),
      }));
    },
    async close(): Promise<void> {
      await Promise.all([...lanes.values()].map(async ({ gateway }) => gateway.close?.()));
    },
  };
}

/** An adapter keeps to its time; should one not, or throw, nobody waits for it all the same. */
async function inTime(gateway: Gateway, message: Message, milliseconds: number): Promise<Outcome> {
  const outcomes = outcomesOf(gateway.name);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve(outcomes.unknown('no answer in time')), milliseconds + 50);
  });
  try {
    return await Promise.race([gateway.send(message, milliseconds), late]);
  } catch (error) {
    return outcomes.unknown(`defect ${(error as Error)?.name}`);
  } finally {
    clearTimeout(timer);
  }
}
