/** The operations on webhook endpoints, for the API and the command line. */
import { secondsAfter, type Clock } from '../../values/clock.ts';
import type { EgressPolicy } from '../../egress/addresses.ts';
import type { PostAnswer } from '../../egress/poster.ts';
import { endpointDisabled, invalidFields, tooManyEndpoints, tooManyReplays, unknownEndpoint } from '../../errors.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import { Slots, type Owner } from '../../sharing/slots.ts';
import { testEventType } from '../catalogue.ts';
import { writeEvent } from '../event.ts';
import type { DeliveriesStore, DeliveryDetail, ReplayRequest } from './deliveries.store.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { Endpoint, EndpointChange, EndpointHealth, EndpointsStore } from './endpoints.store.ts';
import { failureOf, judgeAnswer } from './retry.ts';
import { makeSecret, type SecretBox } from './secret.ts';
import { signDelivery } from './sign.ts';

export interface EndpointInput {
  url: string;
  types: readonly string[];
  description: string | undefined;
}

export interface EndpointChanges extends EndpointChange {
  enabled?: boolean | undefined;
}

export interface TestResult {
  delivered: boolean;
  status: number | null;
  milliseconds: number;
  error?: string;
}

export interface WebhookEndpointsParts {
  store: EndpointsStore;
  deliveries: DeliveriesStore;
  box: SecretBox;
  policy: EgressPolicy;
  clock: Clock;
  machineNow(): Date;
  /** Moves committed events to the log, so that events from before an endpoint was created are not queued for it. */
  sequence(): Promise<unknown>;
  /** Called when an endpoint was created or enabled, so that a process delivers to it. */
  onReady(): Promise<void>;
  /** A UUID of version 7. */
  newEventId(): string;
  postOnce(url: string, headers: Record<string, string>, body: string): Promise<PostAnswer>;
  /** Runs work that a request only waits for. */
  whileWaiting<T>(work: () => Promise<T>, owner: Owner): Promise<T>;
}

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>;

const maxEndpoints = 100;
/** Maximum number of secrets that sign at the same time: the current one, and those that will expire. */
const maxSecrets = 10;
/** Limits the tests that run at the same time: a receiver may take many seconds. */
const testLimits = { slots: 16, waiting: 64, waitMilliseconds: 15_000, retrySeconds: 5 };

/** It was encrypted with a digest key that the service no longer has. */
const unreadableSecret = 'Its secret cannot be read with LEDGERLINE_DIGEST_KEY, so nothing is sent. Rotate the secret.';

export function createWebhookEndpoints(parts: WebhookEndpointsParts) {
  const { store, deliveries, box, policy, clock, sequence, onReady } = parts;
  const testSlots = new Slots(testLimits);

  function checkUrl(url: string): void {
    const refused = policy.refuseUrl(url);
    if (refused) throw invalidFields({ Url: [refused.replace('{0}', 'Url')] });
  }

  async function get(id: number): Promise<Endpoint> {
    return (await store.find(id)) ?? unknown();
  }

  async function enable(id: number, who: Operator): Promise<void> {
    // Deliveries that were due when it was disabled stay failed, and events from meanwhile are not queued.
    await deliveries.failDue(id);
    await sequence();
    await store.enable(id, { who, now: clock.now() });
    await onReady();
  }

  return {
    list: (): Promise<Endpoint[]> => store.list(),
    listHealth: (owner: Owner): Promise<EndpointHealth[]> => store.listHealth(owner),
    get,

    async create(who: Operator, { url, types, description }: EndpointInput): Promise<Endpoint & { secret: string }> {
      checkUrl(url);
      await sequence();
      const id = await store.nextId();
      const secret = makeSecret();
      const sealedSecret = box.seal(secret, id);
      const endpoint = await store.insert(
        { id, url, types: [...new Set(types)], description: description || null, sealedSecret },
        maxEndpoints,
        { who, now: clock.now() },
      );
      if (!endpoint) throw tooManyEndpoints();
      await onReady();
      return { ...endpoint, secret };
    },

    async update(who: Operator, id: number, { enabled, ...given }: EndpointChanges): Promise<Endpoint> {
      const { url, types, description } = given;
      if (url !== undefined) checkUrl(url);
      const changes = { url, types: types && [...new Set(types)], description };
      const isGiven = Object.values(changes).some((value) => value !== undefined);
      const change = { who, now: clock.now() };
      const endpoint = isGiven ? ((await store.update(id, changes, change)) ?? unknown()) : await get(id);
      if (enabled === undefined || enabled === endpoint.enabled) return endpoint;
      if (enabled) await enable(id, who);
      else await store.disable(id, change);
      return get(id);
    },

    async remove(who: Operator, id: number): Promise<void> {
      if (!(await store.remove(id, { who, now: clock.now() }))) unknown();
    },

    async rotateSecret(who: Operator, id: number, overlapSeconds: number): Promise<string> {
      const secret = makeSecret();
      const now = clock.now();
      const rotation = {
        sealed: box.seal(secret, id),
        othersUntil: secondsAfter(now, overlapSeconds),
        kept: maxSecrets - 1,
      };
      if (!(await store.rotateSecret(id, rotation, { who, now }))) unknown();
      return secret;
    },

    /** Does not affect the endpoint's health, and is not in the log. */
    async test(id: number, owner: Owner): Promise<TestResult> {
      const { url } = await get(id);
      const now = clock.now();
      const sealed = await store.readSecrets(id, now);
      const secrets = sealed.flatMap((secret) => box.open(secret.sealed, id)?.secret ?? []);
      if (secrets.length === 0) return { delivered: false, status: null, milliseconds: 0, error: unreadableSecret };
      const eventId = parts.newEventId();
      const data = JSON.stringify({ endpointId: id });
      const body = writeEvent({ id: eventId, type: testEventType, at: now, sequence: null, data });
      const headers = signDelivery(secrets, eventId, body, parts.machineNow());
      const post = () => testSlots.run(owner, () => parts.postOnce(url, headers, body));
      const answer = await parts.whileWaiting(post, owner);
      const delivered = judgeAnswer(answer) === 'delivered';
      const { status = null, milliseconds } = answer;
      return { delivered, status, milliseconds, ...(!delivered && { error: failureOf(answer) }) };
    },

    /** Returns how many events were queued again. */
    async replay(
      who: Operator,
      id: number,
      range: { from: string; to: string | undefined } | { eventIds: readonly string[] },
    ): Promise<number> {
      const { enabled, types } = await get(id);
      if (!enabled) throw endpointDisabled();
      await sequence();
      const now = clock.now();
      const request: ReplayRequest['range'] =
        'eventIds' in range ? range : { from: range.from, to: range.to ?? 'infinity', types };
      return (await deliveries.replay({ endpointId: id, range: request, who, now })) ?? refuseReplay();
    },

    async listDeliveries(id: number, state: DeliveryState | undefined, limit: number): Promise<DeliveryDetail[]> {
      await get(id);
      return deliveries.list(id, state, limit);
    },

    /** Continues work that is done in batches, and handles keys and secrets that change. Called every few seconds. */
    async maintain(): Promise<void> {
      for (const { id, enabled } of await store.list()) if (!enabled) await deliveries.failDue(id);
      for (const id of await deliveries.findOrphaned()) await deliveries.removeOfEndpoint(id);
      await store.removeExpiredSecrets(clock.now());
      for (const secret of await store.readAllSecrets()) {
        const opened = box.open(secret.sealed, secret.endpointId);
        if (opened && !opened.isCurrent) {
          await store.replaceSealed(secret, box.seal(opened.secret, secret.endpointId));
        }
      }
    },
  };
}

function refuseReplay(): never {
  throw tooManyReplays();
}

function unknown(): never {
  throw unknownEndpoint();
}
