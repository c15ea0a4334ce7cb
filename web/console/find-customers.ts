/** Finds customers by a user id, an e-mail address, or a phone number in any spelling. */
import { LedgerlineError, type OperatorFunctions } from '../../client/index.ts';
import { readStored, store } from '../data/storage.ts';
import { homeCountry, isCountry } from '../intl/countries.ts';
import { loadNumberRules } from '../intl/load-number-rules.ts';
import { t } from './texts.ts';
import type { Held } from './views/held-number.tsx';

const countryKey = 'ledgerline-console-country';
const largestUserId = 2_147_483_647;

/** The country of numbers in national format. */
export function rememberedCountry(): string {
  const remembered = readStored(countryKey) ?? '';
  return isCountry(remembered) ? remembered : (homeCountry(navigator.languages) ?? 'GB');
}

export function rememberCountry(country: string): void {
  store(countryKey, country);
}

export interface Found {
  userIds: number[];
  /** The number that was searched for. */
  display?: string;
  /** Who has that number. */
  held?: Held | undefined;
  /** Why nobody was found. */
  complaint?: string;
}

export const isUserId = (text: string) => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= largestUserId;
const isEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);
const isNumber = (text: string) => /^[\d\s()+./-]+$/.test(text);
/** Whether a text can be a customer. */
export const isCustomerText = (text: string) => isEmail(text) || (isNumber(text) && /\d{3}/.test(text));

export async function findCustomers(operations: OperatorFunctions, text: string, country: string): Promise<Found> {
  if (isUserId(text)) return findByDigits(operations, text, country);
  if (isEmail(text)) {
    const { userIds } = await operations.findUsers({ email: text });
    return { userIds, display: text, ...(userIds.length === 0 && { complaint: t.customer.nobodyEmail }) };
  }
  const found = await findByNumber(operations, text, country);
  return found ?? { userIds: [], complaint: t.customer.bad };
}

/** Plain digits may be a user id, or a phone number in national format. */
async function findByDigits(operations: OperatorFunctions, text: string, country: string): Promise<Found> {
  const byNumber = await findByNumber(operations, text, country);
  const id = Number(text);
  if (!byNumber || byNumber.userIds.length === 0) return { userIds: [id] };
  return { ...byNumber, userIds: [...new Set([...byNumber.userIds, ...((await isUser(operations, id)) ? [id] : [])])] };
}

async function isUser(operations: OperatorFunctions, id: number): Promise<boolean> {
  try {
    await operations.trail(id);
    return true;
  } catch (error) {
    if (error instanceof LedgerlineError && error.kind === 'not-found') return false;
    throw error;
  }
}

/** Undefined if the text is no phone number. */
async function findByNumber(operations: OperatorFunctions, text: string, country: string): Promise<Found | undefined> {
  const { parseNumber } = await loadNumberRules();
  const number = isNumber(text) ? parseNumber(text, country) : undefined;
  if (!number) return undefined;
  const { phoneNumber, display } = number;
  const { userIds, holder } = await operations.findUsers(phoneNumber);
  const held = holder ? { ...holder, phoneNumber } : undefined;
  return { userIds, display, held, ...(userIds.length === 0 && { complaint: t.customer.nobody }) };
}
