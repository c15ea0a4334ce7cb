/** The rules that forbid a phone number, and the shared budgets that a message to it uses. */
import type { PhoneNumber } from '../values/phone-number.ts';
import type { DestinationTable, GuardLimits } from './limits.ts';
import { ruleOf, type Modes, type RuleName } from './rules.ts';

/** The entry with the longest matching prefix is used, then that of the country, then `*`. */
function lookUp(table: DestinationTable, { e164, country = '' }: PhoneNumber): number | undefined {
  if (table.size === 0) return undefined;
  for (let length = e164.length; length > 1; length -= 1) {
    const prefix = e164.slice(0, length);
    if (table.has(prefix)) return table.get(prefix);
  }
  return table.get(table.has(country) ? country : '*');
}

/** The rules, except those that are off, that always forbid this number. */
export function rulesAgainst(phoneNumber: PhoneNumber, limits: GuardLimits, modes: Modes, isSafe: boolean): RuleName[] {
  const { countries, refusedTypes, spend } = limits;
  const against: RuleName[] = [];
  if (!countries.includes('*') && !countries.includes(phoneNumber.country ?? '')) against.push('country');
  if (phoneNumber.type !== undefined && refusedTypes.includes(phoneNumber.type)) against.push('number-type');
  if (spend.message !== undefined && (lookUp(limits.prices, phoneNumber) ?? 0) > spend.message) against.push('spend');
  return against.filter((rule) => isOn(rule, modes, isSafe));
}

export function isOn(rule: RuleName, modes: Modes, isSafe: boolean): boolean {
  return modes[rule] !== 'off' && !(isSafe && ruleOf(rule).sparesSafeNumbers);
}

/** The part of a shared budget that a send uses. */
export interface BudgetNeed {
  rule: RuleName;
  name: string;
  /** The units that this send uses, and the largest number of units that are leased together. */
  units: number;
  largestBlock: number;
  cap: number;
}

/** A process leases at most a hundredth of a cap at a time. */
const blocksOfCap = 100;
const share = (cap: number, parts: number, units: number) => Math.max(units, Math.floor(cap / parts));

/** The shared budgets that a send uses, besides the counters of its user, phone and sources. */
export function sharedNeeds(
  phoneNumber: PhoneNumber,
  limits: GuardLimits,
  modes: Modes,
  isSafe: boolean,
): BudgetNeed[] {
  const country = phoneNumber.country ?? 'unknown';
  const price = lookUp(limits.prices, phoneNumber) ?? 0;
  const { processes = 1 } = limits;
  const need = (rule: RuleName, name: string, units: number, cap: number | undefined): BudgetNeed[] =>
    cap === undefined || units === 0 || !isOn(rule, modes, isSafe)
      ? []
      : [{ rule, name, units, cap, largestBlock: share(cap, blocksOfCap * processes, units) }];
  return [
    ...need('country-sends', `sends ${country}`, 1, lookUp(limits.countrySends, phoneNumber)),
    ...need('spend', `spend ${country}`, price, lookUp(limits.spend.countries, phoneNumber)),
    ...need('spend', 'spend', price, limits.spend.day),
  ];
}

/** Budgets are by day, in UTC. */
export function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
