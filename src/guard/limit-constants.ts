/**
 * Limits in the form that the database functions accept: named records. They are constants in the text of a statement,
 * so that PostgreSQL reads them once, when the statement is prepared. As parameters they cost 18 µs with every send.
 */
import { arrayLiteral, compositeLiteral, constant, type CompositeField } from '../formats/sql-literals.ts';
import type { FailureLimits, SendLimits } from './limits.ts';
import type { Source } from './source.ts';
import type { Limit, Window } from './windows.ts';

/** The fields of each type in the order of its definition. A test compares them with the schema. */
export const compositeFields = {
  guard_window: ['rule', 'is_enforced', 'count', 'seconds', 'block_seconds'],
  guard_limit: ['smallest_count', 'kept', 'windows'],
  send_limits: ['user_sends', 'user_phones', 'phone_sends', 'phone_users'],
  failure_limits: ['user_failures', 'phone_failures'],
  guard_source: ['kind', 'key', 'label', 'counted'],
} as const;

type Fields<Type extends keyof typeof compositeFields, Value> = Record<(typeof compositeFields)[Type][number], Value>;

function valuesOf<Type extends keyof typeof compositeFields, Value>(type: Type, fields: Fields<Type, Value>): Value[] {
  return compositeFields[type].map((field) => fields[field as keyof typeof fields]);
}

function recordOf<Type extends keyof typeof compositeFields>(type: Type, fields: Fields<Type, CompositeField>): string {
  return compositeLiteral(valuesOf(type, fields));
}

const windowRecord = ({ rule, isEnforced, count, seconds, blockSeconds }: Window) =>
  recordOf('guard_window', { rule, is_enforced: isEnforced, count, seconds, block_seconds: blockSeconds ?? null });

const limitRecord = ({ smallestCount, kept, windows }: Limit) =>
  recordOf('guard_limit', { smallest_count: smallestCount, kept, windows: arrayLiteral(windows.map(windowRecord)) });

export function limitConstant(limit: Limit): string {
  return constant(limitRecord(limit), 'guard_limit');
}

export function sendLimitsConstant({ userSends, userPhones, phoneSends, phoneUsers }: SendLimits): string {
  const fields = {
    user_sends: limitRecord(userSends),
    user_phones: limitRecord(userPhones),
    phone_sends: limitRecord(phoneSends),
    phone_users: limitRecord(phoneUsers),
  };
  return constant(recordOf('send_limits', fields), 'send_limits');
}

export function failureLimitsConstant({ userFailures, phoneFailures }: FailureLimits): string {
  const fields = { user_failures: limitRecord(userFailures), phone_failures: limitRecord(phoneFailures) };
  return constant(recordOf('failure_limits', fields), 'failure_limits');
}

type Limits = SendLimits | FailureLimits;

/** The sources of a call that a rule counts. */
export function countedSources({ sources }: Limits, all: readonly Source[]): Source[] {
  return all.filter(({ kind }) => sources[kind].kept > 0);
}

/** An array of `guard_source`, whose keys and labels are parameters from $`first` on. */
export function sourcesExpression({ sources }: Limits, counted: readonly Source[], first: number): string {
  if (counted.length === 0) return `'{}'::guard_source[]`;
  const rows = counted.map(({ kind }, index) => {
    const place = first + 2 * index;
    const fields = {
      kind: `'${kind}'`,
      key: `$${place}::bytea`,
      label: `$${place + 1}::text`,
      counted: limitConstant(sources[kind]),
    };
    return `row(${valuesOf('guard_source', fields).join(', ')})::guard_source`;
  });
  return `array[${rows.join(', ')}]`;
}

export function sourceParameters(counted: readonly Source[]): (Buffer | string)[] {
  return counted.flatMap(({ key, label }) => [key, label]);
}

/** Keeps the text of a statement for each combination of limits and kinds of sources. */
export function rememberStatements<L extends object>(write: (limits: L, counted: readonly Source[]) => string) {
  const texts = new WeakMap<L, Map<string, string>>();
  return (limits: L, counted: readonly Source[] = []): string => {
    let byKinds = texts.get(limits);
    if (!byKinds) texts.set(limits, (byKinds = new Map()));
    const kinds = counted.map(({ kind }) => kind).join();
    let text = byKinds.get(kinds);
    if (text === undefined) byKinds.set(kinds, (text = write(limits, counted)));
    return text;
  };
}
