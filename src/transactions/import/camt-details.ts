/**
 * The details of a camt.053 entry. A value that the checks of rows would refuse is left out: the money of the entry has
 * moved, whatever else the bank wrote.
 */
import { addAmounts, parseAmount } from '../amount.ts';
import { parseBic, parseIban } from '../details/account-numbers.ts';
import type { DetailValues } from '../details/details.ts';
import { maxDetailLengths } from '../limits.ts';
import { cutText } from '../transaction.ts';
import { firstText, type Part, type Texts } from './camt-texts.ts';

/** What banks write where the payer gave no end-to-end id. */
const noReference = 'NOTPROVIDED';

export function camtDetails(part: Part, account: string, direction: string): DetailValues {
  const { entry, detail } = part;
  const own = parseIban(account);
  const iban = (role: string) => valid(parseIban, firstText(detail, `RltdPties/${role}Acct/Id/IBAN`));
  const bic = (role: string) => {
    const agent = `RltdAgts/${role}Agt/FinInstnId`;
    return valid(parseBic, firstText(detail, `${agent}/BICFI`, `${agent}/BIC`));
  };
  const reference = firstText(detail, 'Refs/EndToEndId');
  // The charges of a batch booking are not those of one of its transactions.
  const places = part.isOfBatch ? [detail] : [detail, entry];
  return given({
    senderIban: iban('Dbtr') ?? (direction === 'DBIT' ? own : undefined),
    receiverIban: iban('Cdtr') ?? (direction === 'CRDT' ? own : undefined),
    senderBic: bic('Dbtr'),
    receiverBic: bic('Cdtr'),
    reference: reference && reference !== noReference ? cutText(reference, maxDetailLengths.reference) : undefined,
    ...feeOf(places),
    ...originalAmountOf(places),
  });
}

function valid<T>(parse: (text: string) => T | undefined, text: string | undefined): T | undefined {
  return text === undefined ? undefined : parse(text);
}

/** Without the members that are undefined, which JSON does not have. */
function given(values: { [Name in keyof DetailValues]: string | undefined }): DetailValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

interface Money {
  amount: string;
  currency: string | undefined;
}

/** The total, or the sum of the charges if they have one currency. */
function feeOf(places: readonly Texts[]): DetailValues {
  const money = firstMoney(places, 'Chrgs/TtlChrgsAndTaxAmt', 'Chrgs/Rcrd/Amt', 'Chrgs/Amt');
  return money ? given({ transactionFee: money.amount, feeCurrency: money.currency }) : {};
}

function originalAmountOf(places: readonly Texts[]): DetailValues {
  const money = firstMoney(places, 'AmtDtls/InstdAmt/Amt');
  return money ? given({ originalAmount: money.amount, originalCurrency: money.currency }) : {};
}

function firstMoney(places: readonly Texts[], ...keys: string[]): Money | undefined {
  return places.flatMap((texts) => keys.map((key) => moneyAt(texts, key))).find((money) => money !== undefined);
}

function moneyAt(texts: Texts, key: string): Money | undefined {
  const amounts = (texts.get(key) ?? []).map((text) => parseAmount(text, false));
  const currencies = [...new Set(texts.get(`${key}@Ccy`))];
  if (amounts.length === 0 || amounts.includes(undefined) || currencies.length > 1) return undefined;
  const sum = (amounts as string[]).reduce(addAmounts);
  const currency = currencies[0];
  return parseAmount(sum, false) === undefined
    ? undefined
    : { amount: sum, currency: currency !== undefined && /^[A-Z]{3}$/.test(currency) ? currency : undefined };
}
