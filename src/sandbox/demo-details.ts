/** Plausible details for the demo individual's transactions. The account numbers are examples from documentation. */
import type { DetailValues } from '../transactions/details/details.ts';
import type { Transaction } from '../transactions/transaction.ts';

interface Account {
  iban: string;
  bic: string;
}

const ownAccount: Account = { iban: 'DE02120300000000202051', bic: 'BYLADEM1001' };

const accounts: Record<string, Account> = {
  'Northwind Labs GmbH': { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  'Hausverwaltung Lind': { iban: 'DE75512108001245126199', bic: 'SOGEDEFFXXX' },
  Stadtwerke: { iban: 'DE27100777770209299700', bic: 'NORSDE51XXX' },
  'Aurora Travel AB': { iban: 'SE4550000000058398257466', bic: 'ESSESESSXXX' },
};

/** Crowns for a euro, in hundredths. */
const crownRate = 1132n;

export function demoDetails(transaction: Transaction, number: number): DetailValues {
  const { paymentSystem, transactionType } = transaction;
  if (paymentSystem === 'CARD') return { ...cardDetails(transaction), ...orderDetails(transaction, number) };
  if (paymentSystem.startsWith('SEPA')) return transferDetails(transaction, number);
  return transactionType === 'P2P' ? { scaStatus: 'authenticated' } : {};
}

function cardDetails({ transactionType, senderName, receiverName, amount }: Transaction): DetailValues {
  const card: DetailValues = { cardNetwork: 'VISA', cardPan: '453201******7842', cardAlias: 'Everyday card' };
  if (transactionType === 'TOPUP') return { ...card, paymentProvider: 'Ledgerline', scaStatus: 'authenticated' };
  const merchant = transactionType === 'REFUND' ? senderName : receiverName;
  // European law exempts small payments from authentication.
  return { ...card, merchant, scaStatus: Number(amount) < 30 ? 'exempted' : 'authenticated' };
}

function orderDetails({ senderName, receiverName }: Transaction, number: number): DetailValues {
  const isOrder = [senderName, receiverName].includes('Bücherei & Söhne');
  return isOrder ? { additionalData: JSON.stringify({ order: `B-${10_000 + number}`, items: 1 + (number % 3) }) } : {};
}

function transferDetails(transaction: Transaction, number: number): DetailValues {
  const { senderName, receiverName, timeStamp } = transaction;
  const isCredit = transaction.transactionCategory === 'Credit';
  const name = isCredit ? senderName : receiverName;
  const other = accounts[name];
  const [sender, receiver] = isCredit ? [other, ownAccount] : [ownAccount, other];
  return {
    ...(sender && { senderIban: sender.iban, senderBic: sender.bic }),
    ...(receiver && { receiverIban: receiver.iban, receiverBic: receiver.bic }),
    reference: `${name.slice(0, 3).toUpperCase()}-${timeStamp.slice(0, 7)}-${1000 + number}`,
    purposeDet: transaction.paymentNotes,
    ...(name === 'Aurora Travel AB' && exchangeDetails(transaction)),
  };
}

function exchangeDetails({ amount }: Transaction): DetailValues {
  const crowns = String((BigInt(amount.replace('.', '')) * crownRate) / 100n).padStart(3, '0');
  return {
    originalAmount: `${crowns.slice(0, -2)}.${crowns.slice(-2)}`,
    originalCurrency: 'SEK',
    transactionFee: '1.50',
    feeCurrency: 'EUR',
  };
}
