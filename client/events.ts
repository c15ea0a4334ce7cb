/** Events: read from the log by a cursor, and webhook endpoints. Scopes events:read and events:write. */
import { get, post, read, remove, withQuery, type CallOptions, type Calls } from './calls.ts';
import { pauseAfterFailure } from './streams.ts';
import { pause } from './transport.ts';
import type * as wire from './types.ts';

export type EventType = wire.LedgerlineEvent['type'];

export interface EventFilter {
  /** The cursor of an earlier page; from the oldest event if not given. */
  after?: string | undefined;
  limit?: number | undefined;
  /** One, or any of several. */
  type?: EventType | readonly EventType[] | undefined;
  userId?: number | undefined;
}

export interface FollowOptions extends Omit<EventFilter, 'limit'>, CallOptions {
  /** The pause before the next request if there are no new events. 2 seconds if not given. */
  pauseSeconds?: number;
}

export interface FollowedPage {
  events: wire.LedgerlineEvent[];
  /** Store it after the events have been handled, and start from it next time. */
  next: string;
}

export type EventFunctions = ReturnType<typeof eventFunctions>;

export function eventFunctions({ json }: Calls) {
  const list = (filter: EventFilter = {}, options?: CallOptions): Promise<wire.EventPage> =>
    json(get(withQuery('/events', { ...filter }), options));

  return {
    list,

    /**
     * Every event exactly once, page after page, without an end. Tries again while the service cannot be reached. Abort
     * the signal to stop.
     */
    async *follow(options: FollowOptions = {}): AsyncGenerator<FollowedPage, void> {
      const { pauseSeconds = 2, type, userId, signal } = options;
      let { after } = options;
      for (let failures = 0; !signal?.aborted;) {
        let page: wire.EventPage | undefined;
        try {
          page = await list({ after, type, userId }, options);
        } catch (error) {
          await pauseAfterFailure(error, failures, signal);
          failures += 1;
          continue;
        }
        failures = 0;
        after = page.next;
        if (page.events.length > 0) yield page;
        else await pause(pauseSeconds, signal);
      }
    },
  };
}

export interface DeliveryFilter {
  state?: wire.WebhookDelivery['state'] | undefined;
  limit?: number | undefined;
}

export type WebhookFunctions = ReturnType<typeof webhookFunctions>;

export function webhookFunctions({ json, discardBody }: Calls) {
  const path = (id: number, action = '') => `/webhook-endpoints/${id}${action}`;
  return {
    /** The secret is returned only by this call. */
    create: (request: wire.CreateWebhookEndpointRequest, options?: CallOptions): Promise<wire.CreatedWebhookEndpoint> =>
      json(post('/webhook-endpoints', request, options)),

    async list(options?: CallOptions): Promise<wire.WebhookEndpoint[]> {
      return (await json<wire.WebhookEndpoints>(get('/webhook-endpoints', options))).endpoints;
    },

    get: (id: number, options?: CallOptions): Promise<wire.WebhookEndpoint> => json(get(path(id), options)),

    /** Changes only the members that are given. */
    update: (
      id: number,
      request: wire.UpdateWebhookEndpointRequest,
      options?: CallOptions,
    ): Promise<wire.WebhookEndpoint> => json(read(path(id), request, options)),

    remove: (id: number, options?: CallOptions): Promise<void> => discardBody(remove(path(id), options)),

    /** Returns the new secret. The earlier ones are also used to sign during the overlap. */
    async rotateSecret(
      id: number,
      request: wire.RotateWebhookSecretRequest = {},
      options?: CallOptions,
    ): Promise<string> {
      return (await json<wire.WebhookSecret>(post(path(id, '/rotate-secret'), request, options))).secret;
    },

    test: (id: number, options?: CallOptions): Promise<wire.WebhookTestResult> =>
      json(post(path(id, '/test'), undefined, options)),

    /** Returns how many events are sent again. */
    async replay(id: number, request: wire.ReplayWebhookEventsRequest, options?: CallOptions): Promise<number> {
      return (await json<wire.WebhookReplay>(post(path(id, '/replay'), request, options))).count;
    },

    async deliveries(id: number, filter: DeliveryFilter = {}, options?: CallOptions): Promise<wire.WebhookDelivery[]> {
      const call = get(withQuery(path(id, '/deliveries'), { ...filter }), options);
      return (await json<wire.WebhookDeliveries>(call)).deliveries;
    },
  };
}
