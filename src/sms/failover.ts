/**
 * Hands a message to the first gateway that accepts it, in order, within a time limit. Every gateway gets the
 * same code, so that each text that arrives is useful. Each text has a reference of its own.
 */
import { createBreaker, type Breaker, type BreakerState } from './breaker.ts';
import { unavailable, unknown, type Gateway, type Message, type Answer, type Outcome } from './gateway.ts';

/** A message before it is known which gateways will be asked. */
export interface OutgoingMessage extends Omit<Message, 'reference'> {
  /** The reference of the text that the given try sends; tries are counted from 1. */
  referenceOf(tryNumber: number): string;
}

export interface Try {
  gateway: string;
  outcome: Outcome;
  reason?: string;
  milliseconds: number;
}

/**
 * What came of a message. Accepted by one gateway means accepted. Otherwise, if the outcome at one gateway is
 * unknown, it is unknown, whatever the others said.
 */
export interface Dispatch {
  outcome: Outcome;
  /** The gateway whose answer decided; `none` if no gateway could be asked. */
  gateway: string;
  /** That gateway's id of the text, where it accepted and gave one. */
  gatewayId: string | undefined;
  /** Why it was not accepted. */
  reason: string | undefined;
  tries: Try[];
  /** When to ask again, if the outcome is unavailable or unknown. */
  retryAfterSeconds?: number;
}

export interface FailoverOptions {
  gateways: readonly Gateway[];
  /** The names to ask for a country, first to last. */
  orderFor(country: string | undefined): readonly string[];
  /** For one gateway. */
  gatewayMilliseconds: number;
  /** For a whole send. */
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
  /** The gateway asked us to wait this long. */
  pausedSeconds?: number;
}

/** A gateway and what this process knows of its health. */
interface Lane {
  gateway: Gateway;
  breaker: Breaker;
  /** The gateway asked not to be called before this time. */
  pausedUntil: number;
}

/** One send under way. */
interface Run {
  message: OutgoingMessage;
  endsAt: number;
  tries: Try[];
  answers: { lane: Lane; answer: Answer; reference: string }[];
}

/** No gateway answers in less. */
const shortestTryMilliseconds = 100;
const retryPauseMilliseconds = 250;
/** A gateway's Retry-After is honoured up to this: the throttle of one destination must not silence it for long. */
const longestPauseMilliseconds = 60_000;
const noGatewayWaitMilliseconds = 5000;

export type Failover = ReturnType<typeof createFailover>;

export function createFailover(options: FailoverOptions) {
  const { now } = options;
  const lanes = new Map(options.gateways.map((gateway) => [gateway.name, createLane(gateway)]));

  function createLane(gateway: Gateway): Lane {
    const onChange = (state: BreakerState, reason: string | undefined) =>
      options.onBreaker(gateway.name, state, reason);
    return { gateway, breaker: createBreaker({ ...options.breaker, now, onChange }), pausedUntil: 0 };
  }

  async function send(message: OutgoingMessage): Promise<Dispatch> {
    const run: Run = { message, endsAt: now() + options.budgetMilliseconds, tries: [], answers: [] };
    const order = options.orderFor(message.country).flatMap((name) => lanes.get(name) ?? []);
    for (const lane of order) {
      if (run.endsAt - now() < shortestTryMilliseconds) break;
      if (now() < lane.pausedUntil || !lane.breaker.admit()) continue;
      const { outcome } = await ask(lane, run, message.referenceOf(run.tries.length + 1));
      if (outcome === 'accepted' || outcome === 'refused') return finish(order, run);
    }
    await askOnceMore(run);
    return finish(order, run);
  }

  function finish(order: readonly Lane[], run: Run): Dispatch {
    const dispatch = dispatchOf(run);
    const isFinal = dispatch.outcome === 'accepted' || dispatch.outcome === 'refused';
    return isFinal ? dispatch : { ...dispatch, retryAfterSeconds: retryAfterSeconds(order) };
  }

  /** When all have failed, one gateway is asked a second time, if that may help and cannot make it send twice. */
  async function askOnceMore(run: Run): Promise<void> {
    const previous = run.answers.find(({ lane, answer }) => {
      const isSafe = answer.outcome === 'unavailable' ? !answer.isHealthy : lane.gateway.idempotent === true;
      return isSafe && lane.breaker.state === 'closed' && lane.pausedUntil <= now();
    });
    if (!previous || run.endsAt - now() <= retryPauseMilliseconds + shortestTryMilliseconds) return;
    await new Promise((resolve) => setTimeout(resolve, retryPauseMilliseconds));
    const { lane, answer, reference } = previous;
    if (now() < lane.pausedUntil || !lane.breaker.admit()) return;
    // After an unknown outcome it must be the same text, so that the gateway can tell that it has it already.
    const isSameText = answer.outcome === 'unknown';
    await ask(lane, run, isSameText ? reference : run.message.referenceOf(run.tries.length + 1));
  }

  async function ask(lane: Lane, run: Run, reference: string): Promise<Answer> {
    const { gateway } = lane;
    const startedAt = now();
    const within = Math.min(options.gatewayMilliseconds, run.endsAt - startedAt);
    const { referenceOf: _, ...message } = run.message;
    const answer = await sendInTime(gateway, { ...message, reference }, within);
    learn(lane, answer);
    run.answers.push({ lane, answer, reference });
    const one: Try = {
      gateway: gateway.name,
      outcome: answer.outcome,
      ...(answer.outcome !== 'accepted' && { reason: answer.reason }),
      milliseconds: Math.round(now() - startedAt),
    };
    run.tries.push(one);
    options.onTry(one);
    return answer;
  }

  function learn(lane: Lane, answer: Answer): void {
    if (answer.outcome === 'accepted') return lane.breaker.succeeded();
    if (answer.outcome === 'refused') return lane.breaker.undecided();
    if (answer.outcome === 'unavailable') {
      const pause = Math.min(longestPauseMilliseconds, (answer.retryAfterSeconds ?? 0) * 1000);
      if (pause > 0) lane.pausedUntil = Math.max(lane.pausedUntil, now() + pause);
      if (answer.isHealthy) return lane.breaker.undecided();
    }
    lane.breaker.failed(answer.reason);
  }

  /** The time until the first of the gateways may be asked again. */
  function retryAfterSeconds(order: readonly Lane[]): number {
    const waits = order.map(waitMilliseconds);
    const wait = waits.length > 0 ? Math.min(...waits) : noGatewayWaitMilliseconds;
    return Math.max(1, Math.ceil(wait / 1000));
  }

  function waitMilliseconds({ breaker, pausedUntil }: Lane): number {
    return Math.max(breaker.waitMilliseconds, pausedUntil - now(), 0);
  }

  return {
    send,
    health(): GatewayHealth[] {
      return [...lanes.values()].map(({ gateway, breaker, pausedUntil }) => ({
        gateway: gateway.name,
        breaker: breaker.state,
        ...(breaker.reason !== undefined && { reason: breaker.reason }),
        ...(breaker.state !== 'closed' && { probeInSeconds: Math.ceil(breaker.waitMilliseconds / 1000) }),
        ...(pausedUntil > now() && { pausedSeconds: Math.ceil((pausedUntil - now()) / 1000) }),
      }));
    },
    async close(): Promise<void> {
      await Promise.all([...lanes.values()].map(async ({ gateway }) => gateway.close?.()));
    },
  };
}

function dispatchOf({ answers, tries }: Run): Dispatch {
  const answered = (outcome: Outcome) => answers.findLast(({ answer }) => answer.outcome === outcome);
  const decisive = answered('accepted') ?? answered('unknown') ?? answers.at(-1);
  const answer = decisive?.answer ?? unavailable('no gateway is available');
  return {
    outcome: answer.outcome,
    gateway: decisive?.lane.gateway.name ?? 'none',
    gatewayId: answer.outcome === 'accepted' ? answer.gatewayId : undefined,
    reason: answer.outcome === 'accepted' ? undefined : answer.reason,
    tries,
  };
}

/** An adapter keeps to its time and does not throw. If one has a defect, the send goes on all the same. */
async function sendInTime(gateway: Gateway, message: Message, milliseconds: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(unknown('no answer in time')), milliseconds + 50);
  });
  try {
    return await Promise.race([gateway.send(message, milliseconds), late]);
  } catch (error) {
    return unknown(`defect ${(error as Error)?.name}`);
  } finally {
    clearTimeout(timer);
  }
}
