/** The operations of operators: scopes operator:read and operator:write. */
import { get, post, read, withQuery, type CallOptions, type Calls } from './calls.ts';
import { readStream } from './streams.ts';
import type { DetailedTransaction, TransactionPage } from './transaction-types.ts';
import type * as wire from './types.ts';

export type GuardRuleName = wire.GuardRule['rule'];
export type GuardMode = wire.GuardRule['mode'];

/** A page of a list, newest first. `before` is the id of the last entry of the previous page. */
export interface OperatorPage {
  before?: number | undefined;
  /** 100 if not given, at most 500. */
  count?: number | undefined;
}

export interface GuardDecisionFilter extends OperatorPage {
  rule?: GuardRuleName | undefined;
  action?: wire.GuardDecision['action'] | undefined;
  userId?: number | undefined;
}

export interface OperatorActionFilter {
  subject?: string | undefined;
  action?: wire.OperatorAction['action'] | undefined;
  userId?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface OperatorMessageFilter {
  userId?: number | undefined;
  number?: number | undefined;
  country?: string | undefined;
  gateway?: string | undefined;
  state?: wire.LoggedMessage['state'] | undefined;
  verified?: 'yes' | 'no' | undefined;
  rule?: GuardRuleName | undefined;
  reason?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  after?: string | undefined;
  /** 50 if not given, at most 200. */
  count?: number | undefined;
}

export type LiveMessage = { kind: 'ready' } | { kind: 'event'; event: wire.LedgerlineEvent };

export interface ReasonedCallOptions extends CallOptions {
  reason?: string;
}

export interface OperatorEventFilter {
  /** The id of the last event of the page before. */
  before?: string | undefined;
  /** 100 if not given, at most 500. */
  count?: number | undefined;
  userId?: number | undefined;
  type?: wire.LedgerlineEvent['type'] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface OperatorDeliveryFilter {
  state?: wire.OperatorWebhookDelivery['state'] | undefined;
  limit?: number | undefined;
}

export type OperatorFunctions = ReturnType<typeof operatorFunctions>;

/** Every entry of a list, page after page. `read` gets the last entry of the page before. */
async function* everyEntry<T>(read: (last: T | undefined) => Promise<T[]>): AsyncGenerator<T, void> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) yield* page;
}

export function operatorFunctions({ json, jsonAndHeaders, discardBody, transport }: Calls) {
  const messages = (filter: OperatorMessageFilter = {}, options?: CallOptions): Promise<wire.MessageLog> =>
    json(get(withQuery('/operator/messages', { ...filter }), options));

  async function events(filter: OperatorEventFilter = {}, options?: CallOptions): Promise<wire.LedgerlineEvent[]> {
    return (await json<wire.FoundEvents>(get(withQuery('/operator/events', { ...filter }), options))).events;
  }

  async function guardDecisions(
    filter: GuardDecisionFilter = {},
    options?: CallOptions,
  ): Promise<wire.GuardDecision[]> {
    const call = get(withQuery('/operator/guard/decisions', { ...filter }), options);
    return (await json<wire.GuardDecisions>(call)).decisions;
  }

  async function actions(
    page: OperatorActionFilter & OperatorPage = {},
    options?: CallOptions,
  ): Promise<wire.OperatorAction[]> {
    const call = get(withQuery('/operator/actions', { ...page }), options);
    return (await json<wire.OperatorActions>(call)).actions;
  }

  return {
    /** The last days, today included: 7 if not given. */
    overview: (days?: number, options?: CallOptions): Promise<wire.OperatorOverview> =>
      json(get(withQuery('/operator/overview', { days }), options)),

    /** What happened to a user's codes, step by step. */
    trail: (userId: number, options?: CallOptions): Promise<wire.UserTrail> =>
      json(get(`/operator/users/${userId}/trail`, options)),

    /** The cost and the delivery time of the last days, and of the same number of days before. */
    performance: (days?: number, options?: CallOptions): Promise<wire.OperatorPerformance> =>
      json(get(withQuery('/operator/performance', { days }), options)),

    /** The log of texts, newest first. `next` is the `after` of the page that follows. */
    messages,

    /** Every text of the log, newest first. Pages are read as they are needed. */
    async *allMessages(
      filter: Omit<OperatorMessageFilter, 'after' | 'count'> = {},
      options?: CallOptions,
    ): AsyncGenerator<wire.LoggedMessage, void> {
      for (let after: string | undefined; ;) {
        const page = await messages({ ...filter, after }, options);
        yield* page.messages;
        if (!page.next) return;
        after = page.next;
      }
    },

    /** By phone number in E.164 format, which also gives its `holder`, or by e-mail address. The call is audited. */
    findUsers: (what: string | { email: string }, options?: CallOptions): Promise<wire.FoundUsers> =>
      json(read('/operator/find-users', typeof what === 'string' ? { phoneNumber: what } : what, options)),

    /** Unlinks a number that has changed hands from the user who has it. The call is audited, with its `reason`. */
    freePhone: (request: wire.FreePhoneRequest, options?: CallOptions): Promise<void> =>
      discardBody(post('/operator/free-phone', request, options)),

    /** A customer's transactions. The call is audited. */
    async transactions(
      userId: number,
      request: wire.OperatorTransactionsRequest = {},
      options?: CallOptions,
    ): Promise<TransactionPage> {
      const call = read(`/operator/users/${userId}/transactions`, request, options);
      const { value, headers } = await jsonAndHeaders<Omit<TransactionPage, 'asOf'>>(call);
      return { ...value, asOf: headers.get('as-of') ?? '' };
    },

    /** A customer's transaction with its details. The call is audited. */
    transaction: (userId: number, transactionId: string, options?: CallOptions): Promise<DetailedTransaction> =>
      json(read(`/operator/users/${userId}/transaction`, { transactionId }, options)),

    /** The settings of the process that answers, without secrets. */
    settings: (options?: CallOptions): Promise<wire.ServiceSettings> => json(get('/operator/settings', options)),

    /** The call is audited. */
    revealPhone: (userId: number, options?: CallOptions): Promise<wire.RevealedPhones> =>
      json(post(`/operator/users/${userId}/reveal-phone`, undefined, options)),

    /** The events about texts and verifications, as they happen; `ready` comes first; no event after it is missed. */
    async *liveMessages(options?: CallOptions): AsyncGenerator<LiveMessage, void> {
      const call = { ...get('/operator/messages/live', options), accept: 'text/event-stream' };
      for await (const { event, data } of readStream(transport, call)) {
        yield event === 'ready'
          ? { kind: 'ready' }
          : { kind: 'event', event: JSON.parse(data) as wire.LedgerlineEvent };
      }
    },

    async guardRules(options?: CallOptions): Promise<wire.GuardRule[]> {
      return (await json<wire.GuardRules>(get('/operator/guard/rules', options))).rules;
    },

    /** The limits of every rule, and how much of them the busiest user, phone or address has used. */
    async guardUsage(options?: CallOptions): Promise<wire.GuardRuleUsage[]> {
      return (await json<wire.GuardUsage>(get('/operator/guard/usage', options))).rules;
    },

    /** `reason` says why, for the audit. */
    setGuardMode: (
      rule: GuardRuleName,
      mode: GuardMode | 'configured',
      { reason, ...options }: ReasonedCallOptions = {},
    ): Promise<void> => discardBody(post('/operator/guard/mode', { rule, mode, reason }, options)),

    async guardBlocks(options?: CallOptions): Promise<wire.GuardBlock[]> {
      return (await json<wire.GuardBlocks>(get('/operator/guard/blocks', options))).blocks;
    },

    /** Takes one of `block`, `userId`, `phoneNumber` and `address`, and a `reason`; returns the number of lifted blocks. */
    async liftBlock(request: wire.GuardLiftRequest, options?: CallOptions): Promise<number> {
      return (await json<wire.GuardLifted>(post('/operator/guard/lift', request, options))).lifted;
    },

    async safeList(options?: CallOptions): Promise<wire.GuardSafeEntry[]> {
      return (await json<wire.GuardSafeList>(get('/operator/guard/safe-list', options))).entries;
    },

    /** Takes a `phoneNumber` or a `prefix`. */
    addToSafeList: (request: wire.GuardSafeRequest, options?: CallOptions): Promise<void> =>
      discardBody(read('/operator/guard/safe-list', request, options)),

    removeFromSafeList: (id: string, options?: CallOptions): Promise<void> =>
      discardBody(post('/operator/guard/safe-list/remove', { id }, options)),

    /** Events, newest first. */
    events,

    allEvents: (filter: Omit<OperatorEventFilter, 'before' | 'count'> = {}, options?: CallOptions) =>
      everyEntry<wire.LedgerlineEvent>((last) => events({ ...filter, before: last?.id }, options)),

    /** The endpoints with their health. */
    async webhookEndpoints(options?: CallOptions): Promise<wire.OperatorWebhookEndpoint[]> {
      return (await json<wire.OperatorWebhookEndpoints>(get('/operator/webhook-endpoints', options))).endpoints;
    },

    /** The latest deliveries with the request and the beginning of the answer. */
    async webhookDeliveries(
      id: number,
      filter: OperatorDeliveryFilter = {},
      options?: CallOptions,
    ): Promise<wire.OperatorWebhookDelivery[]> {
      const call = get(withQuery(`/operator/webhook-endpoints/${id}/deliveries`, { ...filter }), options);
      return (await json<wire.OperatorWebhookDeliveries>(call)).deliveries;
    },

    guardDecisions,

    allGuardDecisions: (filter: Omit<GuardDecisionFilter, keyof OperatorPage> = {}, options?: CallOptions) =>
      everyEntry<wire.GuardDecision>((last) => guardDecisions({ ...filter, before: last?.id }, options)),

    /** The audited actions of operators. */
    actions,

    allActions: (filter: OperatorActionFilter = {}, options?: CallOptions) =>
      everyEntry<wire.OperatorAction>((last) => actions({ ...filter, before: last?.id }, options)),

    /** The same as CSV: read the body as a stream or with `.text()`. */
    exportActions: (filter: OperatorActionFilter = {}, options?: CallOptions): Promise<Response> =>
      transport({ ...get(withQuery('/operator/actions/export', { ...filter }), options), accept: 'text/csv' }),
  };
}
