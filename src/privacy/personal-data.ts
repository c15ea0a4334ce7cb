/**
 * Every table, every column, and what it contains about a person. Erasure, subject access (user-data.store.ts) and
 * docs/personal-data.md follow from this table, and a test compares it with the schema: the test fails if a column is
 * missing here.
 */

export interface TableEntry {
  /** The column with the user's id, if rows belong to one user. */
  user?: string;
  /** What an erasure does with the user's rows: removes them, retains them for a period, or keeps them. */
  atErasure: 'removed' | 'retained' | 'kept';
  /** Why rows are kept although they are about a person, and for how long. */
  keptBecause?: string;
  /** What the columns contain about a person. */
  personal: Readonly<Record<string, string>>;
  /** Why subject access shows none of the personal columns of a user's rows, or does not show some of them. */
  notShown?: string | Readonly<Record<string, string>>;
  /** Columns that contain nothing about a person. */
  other: readonly string[];
}

const noPerson = (...other: string[]) => ({ atErasure: 'kept' as const, personal: {}, other });

const exported = 'the export of the transactions has it';

const eventEntry = {
  user: 'user_id',
  atErasure: 'kept',
  keptBecause: 'readers have the events already; no event has a number, a name, a note or an amount. Kept by events',
  personal: { user_id: 'user id', data: 'user id, country, ids of transactions' },
  notShown: 'GET /events?userId= lists it',
  other: ['id', 'sequence', 'type', 'at'],
} as const satisfies TableEntry;

export const tables = {
  users: {
    user: 'id',
    atErasure: 'removed',
    personal: {
      id: 'user id',
      email: 'e-mail',
      additional_data: 'additionalData, as the caller gave it',
      merchant_id: 'merchant of the user',
    },
    other: ['created_at', 'transaction_count', 'has_created_event', 'transaction_event_count'],
  },
  verifications: {
    user: 'user_id',
    atErasure: 'removed',
    personal: {
      user_id: 'user id',
      verified_phone: 'phone number',
      sent_phone: 'phone number',
      phones: 'phone numbers',
      latest_code: 'phone number, digest of a code',
      earlier_codes: 'phone numbers, digests of codes',
      verified_at: 'when the phone was verified',
      sends: 'when codes were requested',
      failures: 'when attempts failed',
      blocked_until: 'a block',
      change_code: 'phone number, digest of a code',
      earlier_change_codes: 'phone numbers, digests of codes',
      change_failures: 'when attempts to verify a change failed',
      change_blocked_until: 'a block',
      confirmation_sends: 'when confirmations were requested',
      bound_confirmation_sends: 'when confirmations were requested with a user-bound token',
      confirmation_failures: 'when checks of confirmations failed',
      confirmations_blocked_until: 'a block',
    },
    other: [
      ...['last_code_number', 'last_message_number', 'sent_correlation_type', 'reported_block_until'],
      ...['change_correlation_type', 'reported_change_block_until', 'next_channel_code'],
    ],
  },
  phone_links: {
    user: 'user_id',
    atErasure: 'removed',
    personal: { phone: 'phone number', user_id: 'user id' },
    other: ['linked_at'],
  },
  phone_changes: {
    user: 'user_id',
    atErasure: 'removed',
    personal: {
      user_id: 'user id',
      changed_at: 'when the phone was changed',
      previous_phone: 'masked phone number',
      phone: 'masked phone number',
    },
    other: ['asked_at'],
  },
  messages: {
    user: 'user_id',
    atErasure: 'removed',
    personal: {
      user_id: 'user id',
      phone: 'masked phone number',
      country: 'country of the phone',
      locale: 'language',
      gateway_message_id: "the gateway's id of the text",
      tries: 'answers of gateways',
      reason: 'answer of a gateway',
    },
    other: [
      ...['message_number', 'code_number', 'correlation_type', 'segments', 'gateway', 'channel', 'state'],
      ...['requested_at', 'answered_at', 'state_at', 'expires_at', 'verified_at', 'kind', 'confirmation_id'],
    ],
  },
  confirmations: {
    user: 'user_id',
    atErasure: 'removed',
    personal: {
      user_id: 'user id',
      purpose: 'what was to be confirmed',
      terms_digest: 'keyed digest of amount, currency and payee',
      code_digest: 'digest of a code',
      sealed_terms: 'sealed amount, currency, payee and language, while it is pending',
    },
    notShown: {
      terms_digest: 'a digest',
      code_digest: 'a digest',
      sealed_terms: 'it is removed within minutes; the caller has the terms',
    },
    other: [
      ...['confirmation_id', 'code_number', 'state', 'sent_state', 'texts_in_flight', 'attempts', 'created_at'],
      ...['expires_at', 'approved_at', 'spent_at', 'rerouted_at', 'next_channel_at'],
    ],
  },
  verification_events: {
    user: 'user_id',
    atErasure: 'removed',
    personal: { user_id: 'user id', kind: 'what happened', reason: 'why', at: 'when' },
    other: ['times'],
  },
  send_keys: {
    user: 'user_id',
    atErasure: 'removed',
    personal: { user_id: 'user id', request_digest: 'keyed digest of a request' },
    notShown: { request_digest: 'a digest' },
    other: ['key_digest', 'claimed_at', 'status', 'error'],
  },
  sandbox_messages: {
    user: 'user_id',
    atErasure: 'removed',
    personal: { user_id: 'user id', phone_key: 'keyed digest of a phone number', sealed: 'sealed text and number' },
    notShown: { phone_key: 'a digest', sealed: 'it contains the code; only the sandbox has it' },
    other: ['id', 'sent_at'],
  },
  guard_decisions: {
    user: 'user_id',
    atErasure: 'removed',
    personal: {
      user_id: 'user id',
      phone: 'masked phone number',
      phone_key: 'keyed digest of a phone number',
      country: 'country of the phone',
      source: 'client address, or the subject of a token',
    },
    notShown: { phone_key: 'a digest' },
    other: ['evidence', 'id', 'decided_at', 'rule', 'action', 'operation'],
  },
  transactions: {
    user: 'individual_id',
    atErasure: 'retained',
    personal: {
      individual_id: 'user id',
      transaction_id: 'id of a transaction',
      search_text: 'names and notes',
      body: 'the transaction, with names and notes',
      amount: 'amount',
      time_stamp: 'when money moved',
      currency: 'currency',
      transaction_type: 'facet',
      transaction_category: 'facet',
      transaction_status: 'facet',
    },
    notShown: exported,
    other: ['seq', 'recorded_at', 'created_commit', 'touched_commit'],
  },
  transaction_details: {
    user: 'individual_id',
    atErasure: 'retained',
    personal: {
      individual_id: 'user id',
      details: 'account numbers, e-mails, masked card number, reference and other details of a transaction',
    },
    notShown: exported,
    other: ['seq'],
  },
  transaction_history: {
    user: 'individual_id',
    atErasure: 'retained',
    personal: {
      individual_id: 'user id',
      transaction_id: 'id of a transaction',
      body: 'an earlier version, with names and notes',
      details: 'its details',
    },
    notShown: 'get-transaction-history gives it',
    other: ['version', 'replaced_at'],
  },
  transaction_blocks: {
    user: 'individual_id',
    atErasure: 'retained',
    personal: {
      individual_id: 'user id',
      amounts: 'amounts',
      recent: 'amounts',
      words: 'names, notes and ids of transactions, in lower case',
      terms: 'the words of names, notes and ids of transactions',
    },
    notShown: exported,
    other: ['start_time', 'end_time', 'row_count', 'last_seq', 'facets', 'version'],
  },
  erased_users: {
    user: 'user_id',
    atErasure: 'kept',
    keptBecause: 'an id is never used again. It contains nothing else',
    personal: { user_id: 'user id' },
    other: ['erased_at', 'retained_until', 'rows_removed_at', 'is_complete', 'has_events'],
  },
  phone_sends: {
    atErasure: 'kept',
    keptBecause: 'budgets and blocks must remain, or an erasure would lift them. Kept until the windows pass',
    personal: {
      key: 'keyed digest of a phone number',
      label: 'masked phone number',
      users: 'user ids',
      sends: 'user ids and times',
      failures: 'user ids and times',
    },
    other: ['proven', 'blocked_until'],
  },
  guard_sources: {
    atErasure: 'kept',
    keptBecause: 'counted by address and token, not by user. Kept until the windows pass',
    personal: { key: 'keyed digest', label: 'client address, or the subject of a token' },
    other: ['kind', 'sends', 'failures', 'verified', 'blocked_until'],
  },
  guard_codes: {
    atErasure: 'kept',
    keptBecause: 'counted by code. Kept until the windows pass',
    personal: { key: 'keyed digest of a code', users: 'user ids' },
    other: ['blocked_until'],
  },
  guard_proofs: {
    atErasure: 'kept',
    keptBecause: 'a proof is valid once. Kept until it expires, at most an hour',
    personal: { key: 'keyed digest of a user id and a nonce' },
    other: ['expires_at'],
  },
  guard_safe: {
    atErasure: 'kept',
    keptBecause: 'an operator put it there. Kept until an operator removes it',
    personal: {
      key: 'keyed digest of a phone number, or a prefix',
      label: 'masked phone number',
      added_by: 'operator',
    },
    other: ['is_prefix', 'added_at'],
  },
  guard_modes: {
    atErasure: 'kept',
    keptBecause: 'it is about an operator, not about a user',
    personal: { changed_by: 'operator' },
    other: ['rule', 'mode', 'changed_at'],
  },
  operator_actions: {
    user: 'user_id',
    atErasure: 'kept',
    keptBecause: 'the audit must show which operator acted on which user. Kept by operator-actions',
    personal: {
      subject: 'operator',
      target: 'user id, or a masked phone number',
      detail: 'what was changed',
      reason: 'the words of an operator',
      user_id: 'user id',
    },
    notShown: 'it is about an operator: the audit lists it',
    other: ['id', 'acted_at', 'client', 'action'],
  },
  event_counters: {
    user: 'user_id',
    atErasure: 'kept',
    keptBecause: 'events of one user are numbered without gaps. It contains nothing else',
    personal: { user_id: 'user id' },
    other: ['sequence'],
  },
  events: { ...eventEntry, other: ['position', ...eventEntry.other] },
  event_outbox: eventEntry,
  user_event_outbox: eventEntry,
  webhook_deliveries: {
    atErasure: 'kept',
    keptBecause: 'what a receiver answered is for its operator. Kept by events',
    personal: { last_answer: 'the beginning of what a receiver answered', last_error: 'why a delivery failed' },
    other: [
      ...['id', 'endpoint_id', 'event_position', 'state', 'attempts', 'due_at', 'last_attempt_at', 'last_status'],
      'is_replay',
    ],
  },
  guard_ranges: noPerson(
    ...['name', 'summed_at', 'hour_sends', 'hour_verified', 'day_sends', 'unverified', 'delivered', 'failed'],
    ...['normal_sends', 'normal_verified', 'shrinks', 'refused_at', 'limited_until'],
  ),
  guard_fired_rules: noPerson('rule', 'country', 'reported_at'),
  guard_budgets: noPerson('name', 'day', 'cap', 'used', 'granted'),
  guard_totals: noPerson('rule', 'action', 'hour', 'decisions'),
  webhook_endpoints: noPerson('id', 'url', 'types', 'description', 'enabled', 'disabled_reason', 'created_at'),
  webhook_secrets: noPerson('id', 'endpoint_id', 'sealed', 'expires_at'),
  webhook_leases: noPerson('endpoint_id', 'holder', 'epoch', 'held_until', 'failing_since'),
  webhook_dispatchers: noPerson('id', 'seen_until'),
  digest_keys: noPerson('fingerprint', 'number', 'is_current', 'wrapped_guard_key'),
  event_log: noPerson('only_row', 'generation', 'last_position'),
  installation: noPerson('only_row', 'served_production', 'served_sandbox', 'clock_ahead_seconds'),
  job_leases: noPerson('job', 'holder', 'held_until'),
  functions: noPerson('id', 'name', 'digest', 'applied_at'),
  migrations: noPerson('name', 'applied_at', 'kind'),
} as const satisfies Record<string, TableEntry>;

export interface UserRows {
  table: string;
  /** The column with the user's id. */
  user: string;
}

/** The tables whose rows of a user are removed, or retained, at an erasure. */
export function tablesAtErasure(outcome: 'removed' | 'retained'): UserRows[] {
  return Object.entries<TableEntry>(tables).flatMap(([table, { atErasure, user }]) =>
    atErasure === outcome && user !== undefined ? [{ table, user }] : [],
  );
}

/** docs/personal-data.md. */
export function personalDataReference(): string {
  const rows = Object.entries<TableEntry>(tables)
    .filter(([, { personal }]) => Object.keys(personal).length > 0)
    .map(([table, { personal, atErasure, keptBecause }]) => {
      const columns = Object.entries(personal).map(([column, holds]) => `\`${column}\` (${holds})`);
      return `| \`${table}\` | ${columns.join('; ')} | ${keptBecause ? `kept: ${keptBecause}` : atErasure} |`;
    });
  return `# Where personal data is

Generated by \`npm run generate\` from \`src/privacy/personal-data.ts\`; a test keeps it equal to the schema. Every table
that holds something about a person, and what an [erasure](privacy.md) does with a user's rows: they are removed at once,
retained for \`LEDGERLINE_RETAIN_ERASED_DAYS\` out of reach of the API, or kept for the reason given. "Kept by" names the
kind of [retention](privacy.md#retention).

| table | columns | at erasure |
|---|---|---|
${rows.join('\n')}
`;
}
