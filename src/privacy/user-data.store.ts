/**
 * The statement of subject access. It follows from personal-data.ts: every column that is listed there for the rows of a
 * user is shown here, or has its reason there. The compiler refuses a table or a column that has neither.
 */
import type { tables } from './personal-data.ts';

type Tables = typeof tables;
type HiddenColumn<T extends keyof Tables> = Tables[T] extends { notShown: infer Reasons } ? keyof Reasons : never;
type UserColumn<T extends keyof Tables> = Tables[T] extends { user: infer Column } ? Column : never;
/** The columns that subject access shows. The user's id is the same in all of them. */
type ShownColumn<T extends keyof Tables> = Tables[T] extends { notShown: string }
  ? never
  : Exclude<keyof Tables[T]['personal'], HiddenColumn<T> | UserColumn<T>>;
/** Tables with rows of one user of which subject access shows something. */
type ShownTable = {
  [T in keyof Tables]: Tables[T] extends { user: string } ? ([ShownColumn<T>] extends [never] ? never : T) : never;
}[keyof Tables];

/** Members of the answer, each with its expression in SQL. */
type Members = Readonly<Record<string, string>>;

const isoTime = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const nameOf = (column: string) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
/** Columns of a table as members of the same names. */
const columnsOf = (table: string, ...columns: string[]): Members =>
  Object.fromEntries(columns.map((column) => [nameOf(column), `${table}.${column}`]));
const timesOf = (table: string, ...columns: string[]): Members =>
  Object.fromEntries(columns.map((column) => [nameOf(column), isoTime(`${table}.${column}`)]));
const objectOf = (members: Members) =>
  `json_build_object(${Object.entries(members)
    .map(([name, expression]) => `'${name}', ${expression}`)
    .join(', ')})`;
const listOf = (item: string, from: string, order: string) =>
  `(select coalesce(json_agg(${item} order by ${order}), '[]') from ${from})`;

const codeOf = (code: string) =>
  objectOf({
    codeNumber: `${code}.number`,
    phoneNumber: `${code}.phone`,
    changeAskedAt: isoTime(`${code}.asked_at`),
    ...columnsOf(code, 'state', 'attempts'),
    ...timesOf(code, 'sent_at', 'expires_at', 'issued_at', 'rerouted_at'),
  });
const blocksOf = (until: string, rule = 'user-failures') =>
  `case when ${until} is null then '[]'::json else
    json_build_array(${objectOf({ rule: `'${rule}'`, until: isoTime(until) })}) end`;
const listTimes = (times: string) => listOf(isoTime('e.at'), `unnest(${times}) e (at)`, 'e.at');

/** What each column becomes in the answer. The aliases are those of the statement below. */
const shown: { [T in ShownTable]: Readonly<Record<ShownColumn<T>, Members>> } = {
  users: {
    merchant_id: { merchantId: 'u.merchant_id' },
    email: { email: 'u.email' },
    additional_data: { additionalData: 'u.additional_data' },
  },
  verifications: {
    verified_phone: { verified: 'v.verified_phone' },
    verified_at: { verifiedAt: isoTime('v.verified_at') },
    sent_phone: { lastSent: 'v.sent_phone' },
    phones: {
      requested: listOf(
        objectOf({ phoneNumber: 'p.value', lastAt: isoTime('p.at') }),
        'unnest(v.phones) p (at, value)',
        'p.at, p.value',
      ),
    },
    latest_code: {
      latestCode: `case when (v.latest_code).number is not null then ${codeOf('(v.latest_code)')} end`,
    },
    earlier_codes: { earlierCodes: listOf(codeOf('c'), 'unnest(v.earlier_codes) c', 'c.number') },
    sends: { requestedAt: listTimes('v.sends') },
    failures: { failedAt: listTimes('v.failures') },
    blocked_until: { blocks: blocksOf('v.blocked_until') },
    change_code: {
      changeCode: `case when (v.change_code).number is not null then ${codeOf('(v.change_code)')} end`,
    },
    earlier_change_codes: { earlierChangeCodes: listOf(codeOf('c'), 'unnest(v.earlier_change_codes) c', 'c.number') },
    change_failures: { changeFailedAt: listTimes('v.change_failures') },
    change_blocked_until: { changeBlocks: blocksOf('v.change_blocked_until') },
    confirmation_sends: { confirmationsRequestedAt: listTimes('v.confirmation_sends') },
    bound_confirmation_sends: { boundConfirmationsRequestedAt: listTimes('v.bound_confirmation_sends') },
    confirmation_failures: { failedChecksAt: listTimes('v.confirmation_failures') },
    confirmations_blocked_until: {
      confirmationBlocks: blocksOf('v.confirmations_blocked_until', 'confirmation-failures'),
    },
  },
  phone_links: { phone: { linked: listOf('l.phone', 'phone_links l where l.user_id = u.id', 'l.phone') } },
  phone_changes: {
    changed_at: { changedAt: isoTime('h.changed_at') },
    previous_phone: { previousPhoneNumber: 'h.previous_phone' },
    phone: { phoneNumber: 'h.phone' },
  },
  verification_events: {
    at: { at: isoTime('e.at') },
    kind: { kind: 'e.kind' },
    reason: { reason: 'e.reason' },
  },
  messages: {
    phone: { phoneNumber: 'm.phone' },
    country: { country: `nullif(m.country, '')` },
    locale: { locale: 'm.locale' },
    gateway_message_id: { gatewayMessageId: 'm.gateway_message_id' },
    tries: { tries: 'm.tries' },
    reason: { reason: 'm.reason' },
  },
  guard_decisions: {
    phone: { phoneNumber: 'd.phone' },
    country: { country: 'd.country' },
    source: { source: 'd.source' },
  },
  confirmations: { purpose: { purpose: 'c.purpose' } },
};

/** The members of a table's columns. `also` are columns that contain nothing about a person. */
const membersOf = (table: ShownTable, also: Members = {}): Members =>
  Object.assign({}, ...Object.values<Members>(shown[table]), also) as Members;

const { blocks, changeBlocks, confirmationBlocks, ...phone } = membersOf('verifications', membersOf('phone_links'));

/** $1 the user, $2 the path by which the transactions can be exported. */
export const userDataStatement = `
select ${objectOf({
  user: objectOf(membersOf('users', { id: 'u.id', createdAt: isoTime('u.created_at') })),
  phone: objectOf(phone),
  verifications: listOf(
    objectOf(membersOf('verification_events', { times: 'e.times' })),
    'verification_events e where e.user_id = u.id',
    'e.at',
  ),
  messages: listOf(
    objectOf(
      membersOf('messages', {
        for: 'm.kind',
        ...columnsOf(
          'm',
          'code_number',
          'confirmation_id',
          'correlation_type',
          'segments',
          'gateway',
          'channel',
          'state',
        ),
        ...timesOf('m', 'requested_at', 'answered_at', 'state_at', 'expires_at', 'verified_at'),
      }),
    ),
    'messages m where m.user_id = u.id',
    'm.requested_at',
  ),
  blocks: `((${blocks})::jsonb || (${changeBlocks})::jsonb || (${confirmationBlocks})::jsonb)`,
  decisions: listOf(
    objectOf(
      membersOf('guard_decisions', {
        at: isoTime('d.decided_at'),
        ...columnsOf('d', 'rule', 'action', 'operation', 'evidence'),
      }),
    ),
    'guard_decisions d where d.user_id = u.id',
    'd.decided_at, d.id',
  ),
  confirmations: listOf(
    objectOf(
      membersOf('confirmations', {
        ...columnsOf('c', 'confirmation_id', 'code_number', 'state', 'attempts'),
        ...timesOf('c', 'created_at', 'expires_at', 'approved_at'),
      }),
    ),
    'confirmations c where c.user_id = u.id',
    'c.created_at, c.confirmation_id',
  ),
  changes: listOf(
    objectOf(membersOf('phone_changes', { askedAt: isoTime('h.asked_at') })),
    'phone_changes h where h.user_id = u.id',
    'h.changed_at',
  ),
  transactions: objectOf({ count: 'u.transaction_count', export: '$2::text' }),
})}::text as data
from users u left join verifications v on v.user_id = u.id
where u.id = $1`;
