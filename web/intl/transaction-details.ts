/** The details of a transaction in the groups in which people look for them. The wallet and the console show them. */
import type { DetailedTransaction } from '../../client/index.ts';
import type { ActivityTexts } from './languages/en.ts';

type DetailName = keyof ActivityTexts['detailNames'];
type GroupName = keyof ActivityTexts['detailGroups'];

export interface ShownDetail {
  label: string;
  value: string;
  /** What a button copies, if it has one. */
  copied?: string;
}

export interface DetailGroup {
  title: string;
  details: ShownDetail[];
}

export interface DetailFormats {
  texts: Pick<ActivityTexts, 'detailGroups' | 'detailNames'>;
  /** An exact decimal, which may be negative. */
  money(decimal: string, currency: string): string;
}

const groups: Record<Exclude<GroupName, 'additionalData'>, readonly DetailName[]> = {
  parties: [
    ...(['senderIban', 'senderBic', 'senderEmail', 'receiverIban', 'receiverBic', 'receiverEmail'] as const),
    ...(['accountNumber', 'merchant'] as const),
  ],
  card: ['cardNetwork', 'cardPan', 'cardAlias'],
  money: ['transactionFee', 'originalAmount', 'balanceAfter'],
  reference: ['reference', 'purposeDet', 'paymentProvider', 'scaStatus'],
};

/** Those that the transaction has. */
export function detailGroupsOf(transaction: DetailedTransaction, formats: DetailFormats): DetailGroup[] {
  const { detailGroups, detailNames } = formats.texts;
  const known = Object.entries(groups).map(([group, names]) => ({
    title: detailGroups[group as GroupName],
    details: names.flatMap((name) => {
      const value = valueOf(transaction, name, formats);
      return value === undefined ? [] : [{ label: detailNames[name], value, ...copiedOf(transaction, name) }];
    }),
  }));
  const data = { title: detailGroups.additionalData, details: dataOf(transaction) };
  return [...known, data].filter(({ details }) => details.length > 0);
}

/** Every detail with its label, always in the same order; empty if the transaction lacks it. */
export function detailFactsOf(transaction: DetailedTransaction, formats: DetailFormats): [string, string][] {
  const names = Object.values(groups).flat();
  const facts = names.map((name): [string, string] => [
    formats.texts.detailNames[name],
    valueOf(transaction, name, formats) ?? '',
  ]);
  const { additionalData } = transaction;
  return [...facts, [formats.texts.detailNames.additionalData, additionalData ? JSON.stringify(additionalData) : '']];
}

function valueOf(transaction: DetailedTransaction, name: DetailName, { money }: DetailFormats): string | undefined {
  const { currency, feeCurrency = currency, originalCurrency = currency } = transaction;
  switch (name) {
    case 'senderIban':
    case 'receiverIban':
      return groupIban(transaction[name]);
    case 'transactionFee':
      return withMoney(transaction.transactionFeeText, (fee) => money(fee, feeCurrency));
    case 'originalAmount':
      return withMoney(transaction.originalAmountText, (amount) => money(amount, originalCurrency));
    case 'balanceAfter':
      return withMoney(transaction.balanceAfterText, (balance) => money(balance, currency));
    case 'additionalData':
      return undefined;
    default:
      return transaction[name];
  }
}

function withMoney(text: string | undefined, show: (text: string) => string): string | undefined {
  return text === undefined ? undefined : show(text);
}

/** In groups of four, as on paper. */
function groupIban(iban: string | undefined): string | undefined {
  return iban?.replaceAll(/.{4}(?=.)/g, '$& ');
}

const copiedNames: readonly DetailName[] = ['senderIban', 'receiverIban', 'accountNumber', 'reference'];

function copiedOf(transaction: DetailedTransaction, name: DetailName): { copied?: string } {
  const value = transaction[name];
  return copiedNames.includes(name) && typeof value === 'string' ? { copied: value } : {};
}

function dataOf({ additionalData = {} }: DetailedTransaction): ShownDetail[] {
  return Object.entries(additionalData).map(([label, value]) => ({
    label,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}
