/**
 * Limits in the form that the database functions accept: named records. They are constants in the text of a statement,
 * so that PostgreSQL reads them once, when the statement is prepared. As parameters they cost 18 µs with every send.
 */
import { arrayLiteral, compositeLiteral, constant } from '../formats/sql-literals.ts';
import type { FailureLimits, SendLimits } from './limits.ts';
import type { Source } from './source.ts';
import type { Limit, Window } from './windows.ts';

/** Fields in the order of the type `guard_window`. */
const windowRecord = ({ rule, isEnforced, count, seconds, blockSeconds }: Window) =>
  compositeLiteral([rule, isEnforced, count, seconds, blockSeconds ?? null]);

/** Fields in the order of the type `guard_limit`. */
const limitRecord = ({ smallestCount, kept, windows }: Limit) =>
  compositeLiteral([smallestCount, kept, arrayLiteral(windows.map(windowRecord))]);

export function limitConstant(limit: Limit): string {
  return constant(limitRecord(limit), 'guard_limit');
}

/** Fields in the order of the type `send_limits`. */
export function sendLimitsConstant({ userSends, userPhones, phoneSends, phoneUsers }: SendLimits): string {
  return constant(compositeLiteral([userSends, userPhones, phoneSends, phoneUsers].map(limitRecord)), 'send_limits');
}

/** Fields in the order of the type `failure_limits`. */
export function failureLimitsConstant({ userFailures, phoneFailures }: FailureLimits): string {
  return constant(compositeLiteral([userFailures, phoneFailures].map(limitRecord)), 'failure_limits');
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
    return `row('${kind}', $${place}::bytea, $${place + 1}::text, ${limitConstant(sources[kind])})::guard_source`;
  });
  return `array[${rows.join(', ')}]`;
}

export function sourceParameters(counted: readonly Source[]): (Buffer | string)[] {
  return counted.flatMap(({ key, label }) => [key, label]);
}

/** Keeps the text of a statement for each combination of limits and kinds of sources. */
export function rememberStatements<L extends Limits>(write: (limits: L, counted: readonly Source[]) => string) {
  const texts = new WeakMap<L, Map<string, string>>();
  return (limits: L, counted: readonly Source[]): string => {
    let byKinds = texts.get(limits);
    if (!byKinds) texts.set(limits, (byKinds = new Map()));
    const kinds = counted.map(({ kind }) => kind).join();
    let text = byKinds.get(kinds);
    if (text === undefined) byKinds.set(kinds, (text = write(limits, counted)));
    return text;
  };
}
