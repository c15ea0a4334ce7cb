/** Decides about a call that exceeds limits: the first enforced rule refuses, rules in shadow are recorded. */
import { secondsBetween } from '../values/clock.ts';
import type { Evidence } from './evidence.ts';
import { ruleNames, type Modes, type RuleName } from './rules.ts';

/** A rule whose limit the call exceeds, and how long the caller must wait. */
export interface Objection {
  rule: RuleName;
  /** Undefined if waiting does not help. */
  waitSeconds: number | undefined;
  /** What the rule saw; undefined if the name of the rule is enough. */
  evidence?: Evidence | undefined;
}

/** A rule that refuses, or would refuse if it were enforced, as a statement found it. */
export interface RuleRefusal {
  rule: RuleName;
  isEnforced: boolean;
  until: Date;
}

/** Reads an array of `guard_refusal`. */
export function readRefusals(rows: { rule: RuleName; is_enforced: boolean; until: string }[] | null): RuleRefusal[] {
  return (rows ?? []).map(({ rule, is_enforced, until }) => ({
    rule,
    isEnforced: is_enforced,
    until: new Date(until),
  }));
}

/** How long the caller would have to wait for each rule. */
export function objectionsOf(refusals: readonly RuleRefusal[], now: Date): Objection[] {
  return refusals.map(({ rule, until }) => ({ rule, waitSeconds: secondsBetween(now, until) }));
}

export interface Verdict {
  /** The first enforced rule, with the longest wait it asks for. */
  refusal: Objection | undefined;
  /** The first objection of each rule that would have refused. */
  shadows: Objection[];
}

export function judge(objections: readonly Objection[], modes: Modes): Verdict {
  if (objections.length === 0) return { refusal: undefined, shadows: [] };
  const firsts = ruleNames.flatMap((name) => objections.find(({ rule }) => rule === name) ?? []);
  const enforced = firsts.find(({ rule }) => modes[rule] === 'enforce');
  const shadows = firsts.filter(({ rule }) => modes[rule] === 'shadow');
  if (!enforced) return { refusal: undefined, shadows };
  const waits = objections.filter(({ rule }) => rule === enforced.rule).map(({ waitSeconds }) => waitSeconds);
  const waitSeconds = waits.includes(undefined) ? undefined : Math.max(...(waits as number[]));
  return { refusal: { ...enforced, waitSeconds }, shadows };
}

/** The enforced rules that object. */
export function enforcedOf(objections: readonly { rule: RuleName }[], modes: Modes): RuleName[] {
  return objections.map(({ rule }) => rule).filter((rule) => modes[rule] === 'enforce');
}
