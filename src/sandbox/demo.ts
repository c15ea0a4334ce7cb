/** The demo individual: a plausible year of transactions, always the same except for the dates. */
import type { Amount } from '../transactions/amount.ts';
import { makeRow, type Row } from '../transactions/row.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { parseInstant } from '../values/instant.ts';
import { demoDetails } from './demo-details.ts';

export const demoIndividual = 1;
const person = 'Ada Park';
const days = 365;

type Fields = Pick<
  Transaction,
  'transactionType' | 'transactionCategory' | 'senderName' | 'receiverName' | 'paymentNotes' | 'paymentSystem'
>;

interface Habit {
  /** The probability for each day, or the days of the month. */
  on: number | number[];
  cents: [minimum: number, maximum: number];
  hours: [first: number, last: number];
  fields: Fields;
}

const pays = (
  receiverName: string,
  paymentNotes: string,
  transactionType = 'CARD',
  paymentSystem = 'CARD',
): Fields => ({
  transactionType,
  transactionCategory: 'Debit',
  senderName: person,
  receiverName,
  paymentNotes,
  paymentSystem,
});
const gets = (
  senderName: string,
  paymentNotes: string,
  transactionType = 'P2P',
  paymentSystem = 'INTERNAL',
): Fields => ({
  transactionType,
  transactionCategory: 'Credit',
  senderName,
  receiverName: person,
  paymentNotes,
  paymentSystem,
});

const habits: Habit[] = [
  {
    on: [27],
    cents: [284_312, 284_312],
    hours: [6, 6],
    fields: gets('Northwind Labs GmbH', 'Salary', 'SEPA', 'SEPA'),
  },
  { on: [1], cents: [98_000, 98_000], hours: [5, 5], fields: pays('Hausverwaltung Lind', 'Rent', 'SEPA', 'SEPA') },
  { on: [3], cents: [4999, 4999], hours: [7, 7], fields: pays('Stadtwerke', 'Electricity', 'SEPA', 'SEPA') },
  { on: [12], cents: [1299, 1299], hours: [3, 3], fields: pays('Streamline Video', 'Subscription') },
  { on: [28], cents: [299, 299], hours: [23, 23], fields: pays('Ledgerline', 'Account fee', 'FEE', 'INTERNAL') },
  { on: [5, 19], cents: [5000, 10_000], hours: [9, 20], fields: gets(person, 'Top-up by card', 'TOPUP', 'CARD') },
  { on: 0.45, cents: [280, 640], hours: [7, 10], fields: pays('Coffee Corner', 'Flat white') },
  { on: 0.35, cents: [890, 1450], hours: [12, 14], fields: pays('Canteen 12', 'Lunch') },
  { on: 0.3, cents: [1250, 8930], hours: [16, 20], fields: pays('Grüner Markt', 'Groceries') },
  { on: 0.12, cents: [320, 980], hours: [7, 22], fields: pays('City Transit', 'Ticket') },
  { on: 0.08, cents: [1900, 12_900], hours: [10, 21], fields: pays('Bücherei & Söhne', 'Order') },
  { on: 0.07, cents: [500, 4000], hours: [11, 23], fields: pays('Jonas Weber', 'Dinner share', 'P2P', 'INTERNAL') },
  { on: 0.06, cents: [500, 4500], hours: [11, 23], fields: gets('Mia Chen', 'Concert tickets 🎟') },
  { on: 0.02, cents: [1900, 8900], hours: [10, 18], fields: gets('Bücherei & Söhne', 'Return', 'REFUND', 'CARD') },
  {
    on: 0.01,
    cents: [12_000, 45_000],
    hours: [8, 18],
    fields: pays('Aurora Travel AB', 'Booking', 'SEPA', 'SEPA_INSTANT'),
  },
];

export function demoTransactions(now: Date): Row[] {
  const random = generator(20_240_229);
  const between = (minimum: number, maximum: number) => minimum + Math.floor(random() * (maximum - minimum + 1));
  const rows: Row[] = [];
  for (let day = days; day >= 0; day -= 1) {
    const date = new Date(now.getTime() - day * 86_400_000);
    for (const { on, cents, hours, fields } of habits) {
      const happens = typeof on === 'number' ? random() < on : on.includes(date.getUTCDate());
      date.setUTCHours(between(...hours), between(0, 59), between(0, 59), between(0, 999));
      const amount = between(...cents);
      const luck = random();
      if (!happens || date > now) continue;
      const number = rows.length + 1;
      const transaction: Transaction = {
        individualId: demoIndividual,
        transactionId: `demo-${String(number).padStart(5, '0')}`,
        amount: (amount / 100).toFixed(2) as Amount,
        currency: 'EUR',
        timeStamp: parseInstant(date.toISOString())!,
        transactionStatus: statusOf(fields, day, luck),
        ...fields,
      };
      rows.push(makeRow({ ...transaction, ...demoDetails(transaction, number) }));
    }
  }
  return rows;
}

/** Card payments clear after a day or two, and a few payments fail. */
function statusOf({ paymentSystem }: Fields, daysAgo: number, luck: number): string {
  if (paymentSystem === 'CARD' && daysAgo < 2) return 'Pending';
  if (luck < 0.006) return 'Rejected';
  if (luck < 0.009) return 'Cancelled';
  return luck < 0.011 ? 'Reversed' : 'Accepted';
}

/** Mulberry32: a small generator that gives the same numbers everywhere. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
