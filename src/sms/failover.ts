/**
 * Passes a message to the gateways in order until one accepts it, within a time limit. Every gateway gets the same
 * code, so that each text that arrives is useful. Each text has its own reference.
 */
import { valueWithin } from '../network/give-time.ts';
import { createBreaker, type Breaker, type BreakerState } from './breaker.ts';
import type { CodeChannel } from './channels.ts';
import {
  unavailable,
  unknown,
  type Gateway,
  type GatewayAnswer,
  type GatewayOutcome,
  type Message,
} from './gateway.ts';

/** A message before the gateways to ask are known. */
export interface OutgoingMessage extends Omit<Message, 'reference' | 'channel'> {
  /** The reference of the text that the given try sends; tries are counted from 1. */
  referenceOf(tryNumber: number): string;
  /** First to last. A gateway of the next one is asked if none of the first accepts the text. */
  channels: readonly CodeChannel[];
  /** The gateway that is asked last over this channel, whatever the order. */
  avoid?: TextRoute | undefined;
  /** A gateway that is not asked at all. */
  except?: string | undefined;
  /** Whether the message may be sent over a channel after the first one, which has a price and limits of its own. */
  admitChannel?: ((channel: CodeChannel) => Promise<boolean>) | undefined;
  /** The trace of the request, for the log. */
  traceId: string;
}

export interface TextRoute {
  gateway: string;
  channel: CodeChannel;
}

export interface Try {
  gateway: string;
  outcome: GatewayOutcome;
  reason?: string;
  milliseconds: number;
}

/**
 * The outcome of a message. If one gateway accepted it, it is accepted. Otherwise, if the outcome at one gateway is
 * unknown, it is unknown, whatever the others answered.
 */
export interface Dispatch {
  outcome: GatewayOutcome;
  /** The gateway whose answer decided; `none` if no gateway could be asked. */
  gateway: string;
  channel: CodeChannel;
  /** That gateway's id of the text, if it accepted the text and returned an id. */
  gatewayId: string | undefined;
  /** Why it was not accepted. */
  reason: string | undefined;
  tries: Try[];
  /** When to ask again, if the outcome is unavailable or unknown. */
  retryAfterSeconds?: number;
}

export interface FailoverOptions {
  gateways: readonly Gateway[];
  channelsOf(gateway: string): readonly CodeChannel[];
  /** The names to ask for a country, first to last. */
  orderFor(country: string | undefined): readonly string[];
  /** For one gateway. */
  gatewayMilliseconds: number;
  /** For a whole send. */
  budgetMilliseconds: number;
  breaker: { failures: number; openMilliseconds: number; longestMilliseconds: number };
  now(): number;
  onTry(attempt: Try, traceId: string): void;
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

/** A gateway and what this process knows about its health. */
interface Lane {
  gateway: Gateway;
  breaker: Breaker;
  /** The gateway asked not to be called before this time. */
  pausedUntil: number;
}

/** A gateway that is asked to send over one of its channels. */
interface Leg {
  lane: Lane;
  channel: CodeChannel;
}

/** A send in progress. */
interface Run {
  message: OutgoingMessage;
  endsAt: number;
  /** Whether a channel may be used, as far as that was asked. */
  admitted: Map<CodeChannel, boolean>;
  tries: Try[];
  answers: (Leg & { answer: GatewayAnswer; reference: string })[];
}

/** No gateway answers faster than this. */
const shortestTryMilliseconds = 100;
const retryPauseMilliseconds = 250;
/**
 * Maximum Retry-After of a gateway that is honoured: the rate limit of one destination must not stop the gateway for
 * long.
 */
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
    const admitted = new Map([[message.channels[0]!, true]]);
    const run: Run = { message, endsAt: now() + options.budgetMilliseconds, admitted, tries: [], answers: [] };
    const order = legsFor(message);
    const isOver = () => run.endsAt - now() < shortestTryMilliseconds;
    for (const leg of order) {
      if (isOver()) break;
      if (waitMilliseconds(leg.lane) > 0 || !(await isAdmitted(leg, run))) continue;
      // Asking whether the channel may be used takes time too.
      if (isOver()) break;
      if (!leg.lane.breaker.admit()) continue;
      const { outcome } = await ask(leg, run, message.referenceOf(run.tries.length + 1));
      if (outcome === 'accepted' || outcome === 'refused') return finish(order, run);
    }
    await askOnceMore(run);
    return finish(order, run);
  }

  async function isAdmitted({ channel }: Leg, { admitted, message }: Run): Promise<boolean> {
    if (!admitted.has(channel)) admitted.set(channel, (await message.admitChannel?.(channel)) ?? true);
    return admitted.get(channel)!;
  }

  /** The order of the channels, and for each of them the order of its gateways. */
  function legsFor({ channels, country, avoid, except }: OutgoingMessage): Leg[] {
    const names = options.orderFor(country).filter((name) => name !== except);
    const legs = channels.flatMap((channel) =>
      names
        .filter((name) => options.channelsOf(name).includes(channel))
        .flatMap((name) => lanes.get(name) ?? [])
        .map((lane) => ({ lane, channel })),
    );
    const isAvoided = ({ lane, channel }: Leg) => avoid?.gateway === lane.gateway.name && avoid.channel === channel;
    return [...legs.filter((leg) => !isAvoided(leg)), ...legs.filter(isAvoided)];
  }

  function finish(order: readonly Leg[], run: Run): Dispatch {
    const dispatch = dispatchOf(run);
    const isFinal = dispatch.outcome === 'accepted' || dispatch.outcome === 'refused';
    return isFinal ? dispatch : { ...dispatch, retryAfterSeconds: retryAfterSeconds(order) };
  }

  /** When all have failed, one gateway is asked a second time, if that may help and cannot cause a second text. */
  async function askOnceMore(run: Run): Promise<void> {
    const previous = run.answers.find(({ lane, answer }) => {
      const isSafe = answer.outcome === 'unavailable' ? !answer.isHealthy : lane.gateway.idempotent === true;
      return isSafe && lane.breaker.state === 'closed' && lane.pausedUntil <= now();
    });
    if (!previous || run.endsAt - now() <= retryPauseMilliseconds + shortestTryMilliseconds) return;
    await new Promise((resolve) => setTimeout(resolve, retryPauseMilliseconds));
    const { lane, channel, answer, reference } = previous;
    if (now() < lane.pausedUntil || !lane.breaker.admit()) return;
    // After an unknown outcome it must be the same text, so that the gateway can recognise it.
    const isSameText = answer.outcome === 'unknown';
    await ask({ lane, channel }, run, isSameText ? reference : run.message.referenceOf(run.tries.length + 1));
  }

  async function ask({ lane, channel }: Leg, run: Run, reference: string): Promise<GatewayAnswer> {
    const { gateway } = lane;
    const startedAt = now();
    const within = Math.min(options.gatewayMilliseconds, run.endsAt - startedAt);
    const answer = await sendInTime(gateway, { channel, reference, ...run.message }, within);
    learn(lane, answer);
    run.answers.push({ lane, channel, answer, reference });
    const attempt: Try = {
      gateway: gateway.name,
      outcome: answer.outcome,
      ...(answer.outcome !== 'accepted' && { reason: answer.reason }),
      milliseconds: Math.round(now() - startedAt),
    };
    run.tries.push(attempt);
    options.onTry(attempt, run.message.traceId);
    return answer;
  }

  function learn(lane: Lane, answer: GatewayAnswer): void {
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
  function retryAfterSeconds(order: readonly Leg[]): number {
    const waits = order.map(({ lane }) => waitMilliseconds(lane));
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

function dispatchOf({ message, answers, tries }: Run): Dispatch {
  const answered = (outcome: GatewayOutcome) => answers.findLast(({ answer }) => answer.outcome === outcome);
  const decisive = answered('accepted') ?? answered('unknown') ?? answers.at(-1);
  const answer = decisive?.answer ?? unavailable('no gateway is available');
  return {
    outcome: answer.outcome,
    gateway: decisive?.lane.gateway.name ?? 'none',
    channel: decisive?.channel ?? message.channels[0]!,
    gatewayId: answer.outcome === 'accepted' ? answer.gatewayId : undefined,
    reason: answer.outcome === 'accepted' ? undefined : answer.reason,
    tries,
  };
}

/** An adapter should keep its time limit and never throw. If one has a defect, the send continues. */
async function sendInTime(gateway: Gateway, message: Message, milliseconds: number): Promise<GatewayAnswer> {
  try {
    return await valueWithin(gateway.send(message, milliseconds), milliseconds + 50, () =>
      unknown('no answer in time'),
    );
  } catch (error) {
    return unknown(`defect ${(error as Error)?.name}`);
  }
}
