/** Every operation of the service as a function. */
import { LedgerlineError } from './errors.ts';
import { parseExact } from './exact.ts';
import { createTransport, type Call, type TransportOptions } from './transport.ts';
import type * as wire from './types.ts';

export interface ClientOptions extends TransportOptions {
  /** Least time between two codes for one user, as the app keeps it. 30 if not given, 0 for none. */
  resendSeconds?: number;
  /** Milliseconds since 1970 by the clock that the cool-down goes by; the machine's, if not given. */
  now?: () => number;
}

/** The amount as a number, for sorting and charts; and its exact digits, for showing and sums. */
export interface Transaction extends wire.Transaction {
  amountText: string;
}

export interface TransactionPeriod extends wire.TransactionPeriod {
  moneyInText: string;
  moneyOutText: string;
  otherText: string;
}

export interface TransactionPage {
  transactions: Transaction[];
  /** All rows that match, over all pages. */
  transactionCount: number;
  /** Give it with the next page, and the rows hold still while others arrive. */
  asOf: string;
}

export interface TransactionTotals {
  periods: TransactionPeriod[];
  transactionCount: number;
  asOf: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export type ExportFormat = 'csv' | 'ndjson';
const exportTypes: Record<ExportFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

const e164 = /^\+[1-9]\d{6,14}$/;

/** `+`, the country code, the number: what the service takes, once spaces and punctuation are gone. */
export function isE164(phoneNumber: string): boolean {
  return e164.test(phoneNumber);
}

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions = {}) {
  const { resendSeconds = 30, now = Date.now } = options;
  const transport = createTransport(options);
  const lastSends = new Map<number, number>();

  async function json(call: Call): Promise<{ value: unknown; headers: Headers }> {
    const response = await transport(call);
    return { value: parseExact(await response.text()), headers: response.headers };
  }

  async function nothing(call: Call): Promise<void> {
    await (await transport(call)).text();
  }

  const post = (path: string, body: unknown, { signal }: CallOptions = {}): Call => ({
    method: 'POST',
    path,
    body,
    signal,
  });
  const read = (path: string, body: unknown, options?: CallOptions): Call => ({
    ...post(path, body, options),
    repeatable: true,
  });

  /** How long the app should still wait before it offers another code. */
  function secondsUntilResend(userId: number): number {
    const sent = lastSends.get(userId);
    return sent === undefined ? 0 : Math.max(0, Math.ceil(resendSeconds - (now() - sent) / 1000));
  }

  async function sending(userId: number, send: () => Promise<void>): Promise<void> {
    const seconds = secondsUntilResend(userId);
    if (seconds > 0) {
      throw new LedgerlineError('too-many', `Another code can be asked for in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    }
    const before = lastSends.get(userId);
    lastSends.set(userId, now());
    try {
      await send();
    } catch (error) {
      // What was not sent keeps nobody waiting.
      if (before === undefined) lastSends.delete(userId);
      else lastSends.set(userId, before);
      throw error;
    }
  }

  async function listTransactions(
    request: wire.AllTransactionRequestModel,
    options?: CallOptions,
  ): Promise<TransactionPage> {
    const call = read('/app/get-all-transactions', request, options);
    const { value, headers } = await json(call);
    return { ...(value as Omit<TransactionPage, 'asOf'>), asOf: headers.get('as-of') ?? '' };
  }

  /** The pages of a list, one after another. All are pinned to the rows that the first one saw. */
  async function* transactionPages(
    request: Omit<wire.AllTransactionRequestModel, 'dataBatch'> & { dataBatch?: number },
    options?: CallOptions,
  ): AsyncGenerator<TransactionPage, void, undefined> {
    const size = request.dataBatchCount ?? 100;
    let { asOf } = request;
    for (let dataBatch = request.dataBatch ?? 1; ; dataBatch += 1) {
      const page = await listTransactions({ ...request, dataBatch, dataBatchCount: size, asOf }, options);
      asOf = page.asOf;
      if (page.transactions.length > 0) yield page;
      if (dataBatch * size >= page.transactionCount) return;
    }
  }

  return {
    secondsUntilResend,

    /** Checks the number and the cool-down before anything leaves. */
    async sendCode(request: wire.SendCodeRequest, options?: CallOptions): Promise<void> {
      if (!isE164(request.phoneNumber)) {
        const message = 'The PhoneNumber field is not a valid phone number.';
        throw new LedgerlineError('invalid', message, { problem: { errors: { PhoneNumber: [message] } } });
      }
      await sending(request.id, () => nothing(post('/User/phone-number/send-code', request, options)));
    },

    resendCode: (userId: number, { signal }: CallOptions = {}): Promise<void> =>
      sending(userId, () => nothing({ method: 'POST', path: `/User/${userId}/phone-number/resend-code`, signal })),

    verify: (request: wire.VerifyRequest, options?: CallOptions): Promise<void> =>
      nothing(post('/User/phone-number/verify', request, options)),

    async createUser(request: wire.CreateUserRequest = {}, options?: CallOptions): Promise<wire.CreatedUser> {
      return (await json(post('/User', request, options))).value as wire.CreatedUser;
    },

    async userStatus(userId: number, { signal }: CallOptions = {}): Promise<wire.UserStatus> {
      const path = `/User/${userId}/status`;
      return (await json({ method: 'GET', path, repeatable: true, signal })).value as wire.UserStatus;
    },

    unlinkPhone: (userId: number, { signal }: CallOptions = {}): Promise<void> =>
      nothing({ method: 'DELETE', path: `/User/${userId}/phone-number`, repeatable: true, signal }),

    listTransactions,
    transactionPages,

    /** Every row of a list, page by page as they are asked for. */
    async *transactions(
      request: Omit<wire.AllTransactionRequestModel, 'dataBatch'>,
      options?: CallOptions,
    ): AsyncGenerator<Transaction, void, undefined> {
      for await (const page of transactionPages(request, options)) yield* page.transactions;
    },

    async getTransaction(request: wire.GetTransactionRequest, options?: CallOptions): Promise<Transaction> {
      return (await json(read('/app/get-transaction', request, options))).value as Transaction;
    },

    /** Sending a row again is safe. Give amounts as decimal strings where a double could not hold them. */
    async recordTransactions(
      transactions: wire.TransactionRow[],
      options?: CallOptions,
    ): Promise<wire.RecordTransactionsResponse> {
      const call = read('/app/record-transactions', { transactions }, options);
      return (await json(call)).value as wire.RecordTransactionsResponse;
    },

    async summarizeTransactions(
      request: wire.SummarizeTransactionsRequest,
      options?: CallOptions,
    ): Promise<TransactionTotals> {
      const call = read('/app/summarize-transactions', request, options);
      const { value, headers } = await json(call);
      return { ...(value as Omit<TransactionTotals, 'asOf'>), asOf: headers.get('as-of') ?? '' };
    },

    /** The answer itself: `body` is a stream, `blob()` all of it. */
    exportTransactions: (
      request: wire.ExportTransactionsRequest,
      format: ExportFormat = 'csv',
      options?: CallOptions,
    ): Promise<Response> =>
      transport({ ...read('/app/export-transactions', request, options), accept: exportTypes[format] }),

    /** Whether the service can do its work. */
    async isReady({ signal }: CallOptions = {}): Promise<boolean> {
      const call: Call = { method: 'GET', path: '/health/ready', open: true, signal };
      return nothing(call).then(
        () => true,
        () => false,
      );
    },

    /** For people who look after the service: scopes operator:read and operator:write. */
    operator: {
      async findUsers(phoneNumber: string, options?: CallOptions): Promise<number[]> {
        const call = read('/operator/find-users', { phoneNumber }, options);
        return ((await json(call)).value as wire.FoundUsers).userIds;
      },

      /** Who asks stands in the audit. */
      async revealPhone(userId: number, { signal }: CallOptions = {}): Promise<wire.RevealedPhones> {
        const path = `/operator/users/${userId}/reveal-phone`;
        return (await json({ method: 'POST', path, signal })).value as wire.RevealedPhones;
      },
    },

    /** What only a sandbox has. */
    sandbox: {
      async messages(phoneNumber?: string, { signal }: CallOptions = {}): Promise<wire.SandboxMessage[]> {
        const query = phoneNumber === undefined ? '' : `?${new URLSearchParams({ phoneNumber })}`;
        const path = `/sandbox/messages${query}`;
        return (await json({ method: 'GET', path, open: true, repeatable: true, signal }))
          .value as wire.SandboxMessage[];
      },

      /** Moves the service's clock forward; by 0 it only reads it. */
      async advanceClock(advanceSeconds: number, options?: CallOptions): Promise<wire.SandboxClock> {
        const call = post('/sandbox/clock', { advanceSeconds }, options);
        return (await json({ ...call, open: true })).value as wire.SandboxClock;
      },

      resetClock: ({ signal }: CallOptions = {}): Promise<void> =>
        nothing({ method: 'DELETE', path: '/sandbox/clock', open: true, repeatable: true, signal }),

      empty: ({ signal }: CallOptions = {}): Promise<void> =>
        nothing({ method: 'DELETE', path: '/sandbox/data', open: true, repeatable: true, signal }),
    },
  };
}
