/** The rules that forbid a phone number, and the shared budgets that a message to it uses. */
import type { CodeChannel } from '../sms/channels.ts';
import type { PhoneNumber } from '../values/phone-number.ts';
import type { DestinationTable, GuardLimits } from './limits.ts';
import { isOn, type Modes, type RuleName } from './rules.ts';

/** How a number, a country or `*` is named for a channel: texts have no name of their own. */
const nameFor = (channel: CodeChannel, name: string) => (channel === 'sms' ? name : `${channel}:${name}`);

/** The entry with the longest matching prefix is used, then that of the country, then `*`. */
function findKey(table: DestinationTable, { e164, country = '' }: PhoneNumber, channel: CodeChannel) {
  for (let length = e164.length; length > 1; length -= 1) {
    const prefix = nameFor(channel, e164.slice(0, length));
    if (table.has(prefix)) return prefix;
  }
  return [country, '*'].map((name) => nameFor(channel, name)).find((name) => table.has(name));
}

/** The entry for the channel. */
function lookUpOwn(table: DestinationTable, phoneNumber: PhoneNumber, channel: CodeChannel): number | undefined {
  return table.size === 0 ? undefined : table.get(findKey(table, phoneNumber, channel) ?? '');
}

/** The entry for the channel, or else that for texts. */
function lookUp(table: DestinationTable, phoneNumber: PhoneNumber, channel: CodeChannel): number | undefined {
  if (table.size === 0) return undefined;
  const key = findKey(table, phoneNumber, channel) ?? findKey(table, phoneNumber, 'sms');
  return key === undefined ? undefined : table.get(key);
}

/** What a message to the phone costs, in ten-thousandths. */
function priceOf(phoneNumber: PhoneNumber, prices: DestinationTable, channel: CodeChannel): number {
  return lookUp(prices, phoneNumber, channel) ?? 0;
}

/** A message to a phone over a channel. */
export interface Target {
  phoneNumber: PhoneNumber;
  channel: CodeChannel;
  /** Of the text. Each costs what a message costs, if the channel is SMS. */
  segments: number;
}

/** The rules, except those that are off, that always forbid this number. */
export function rulesAgainst(
  { phoneNumber, channel }: Target,
  limits: GuardLimits,
  modes: Modes,
  isSafe: boolean,
): RuleName[] {
  const { countries, refusedTypes, spend } = limits;
  const against: RuleName[] = [];
  if (!countries.includes('*') && !countries.includes(phoneNumber.country ?? '')) against.push('country');
  if (phoneNumber.type !== undefined && refusedTypes.includes(phoneNumber.type)) against.push('number-type');
  if (spend.message !== undefined && priceOf(phoneNumber, limits.prices, channel) > spend.message)
    against.push('spend');
  return against.filter((rule) => isOn(rule, modes, isSafe));
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
  { phoneNumber, channel, segments }: Target,
  limits: GuardLimits,
  modes: Modes,
  isSafe: boolean,
): BudgetNeed[] {
  const country = phoneNumber.country ?? 'unknown';
  const price = priceOf(phoneNumber, limits.prices, channel) * (channel === 'sms' ? segments : 1);
  const { processes = 1, spend, countrySends } = limits;
  const own = (name: string) => nameFor(channel, name);
  const need = (rule: RuleName, name: string, units: number, cap: number | undefined): BudgetNeed[] =>
    cap === undefined || units === 0 || !isOn(rule, modes, isSafe)
      ? []
      : [{ rule, name, units, cap, largestBlock: share(cap, blocksOfCap * processes, units) }];
  const ofChannel =
    channel === 'sms'
      ? []
      : [
          ...need('spend', `spend ${own(country)}`, price, lookUpOwn(spend.countries, phoneNumber, channel)),
          ...need('spend', `spend ${channel}`, price, spend.countries.get(own('day'))),
        ];
  return [
    // Each channel has its own count, so that a pump by calls does not use up the texts of a country.
    ...need('country-sends', `sends ${own(country)}`, 1, lookUp(countrySends, phoneNumber, channel)),
    // Money is limited for all channels together, and for a channel if that is set.
    ...need('spend', `spend ${country}`, price, lookUpOwn(spend.countries, phoneNumber, 'sms')),
    ...need('spend', 'spend', price, spend.day),
    ...ofChannel,
  ];
}

/** Budgets are by day, in UTC. */
export function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
