/** The words for what a transaction says in codes: the same in the wallet, on its documents and in every language. */

export interface Words {
  detailNames: Readonly<Record<LabelledDetail, string>>;
  types: Readonly<Record<string, string>>;
  statuses: Readonly<Record<string, string>>;
  systems: Readonly<Record<string, string>>;
}

/** A detail that is shown with a label. */
export type LabelledDetail =
  | 'senderIban'
  | 'receiverIban'
  | 'senderBic'
  | 'receiverBic'
  | 'accountNumber'
  | 'senderEmail'
  | 'receiverEmail'
  | 'merchant'
  | 'cardNetwork'
  | 'cardPan'
  | 'cardAlias'
  | 'paymentProvider'
  | 'purposeDet'
  | 'scaStatus'
  | 'reference'
  | 'transactionFee'
  | 'originalAmount'
  | 'balanceAfter'
  | 'additionalData';

/** The name of a value, whatever its case; one that has no name is written as words: `card_payment` as Card payment. */
export function nameOf(names: Readonly<Record<string, string>>, code: string): string {
  const folded = code.toLowerCase();
  const known = Object.keys(names).find((name) => name.toLowerCase() === folded);
  return known === undefined ? inWords(code) : names[known]!;
}

/** Only of names that programs write: with underscores, hyphens or capitals inside. Words with digits, as P2P, stay. */
function inWords(code: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(code)) return code;
  const words = code
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean);
  const text =
    words.length === 1 ? words[0]! : words.map((word) => (/\d/.test(word) ? word : word.toLowerCase())).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
