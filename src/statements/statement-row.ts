/** A row of a statement: one line with the date, the other party and what the payment was for, status and amount. */
import { isolate, type Direction } from './direction.ts';
import { groupIban, type Formats } from './formats.ts';
import { fittedCell, grey, left, noteStyle, type Cell, type Span } from './page-layout.ts';
import type { StatementRow } from './statement.ts';
import type { Box, Style, Typesetter } from './typesetter.ts';
import { nameOf, type Words } from '../words/words.ts';

export const columns = {
  date: { x: left, width: 92 },
  details: { x: left + 98, width: 230 },
  status: { x: left + 334, width: 58 },
  amount: { x: left + 396, width: 103, isRightAligned: true },
} satisfies Record<string, Box>;

/** The share of the line that a long name may take if there is more to say. */
const nameShare = 0.6;
const spanGap = 5;
const dateStyle: Style = { size: 8 };

export interface RowLanguage {
  formats: Formats;
  words: Words;
  /** For a row without names and notes. */
  unnamed: string;
  direction: Direction;
}

export function cellsOf(type: Typesetter, language: RowLanguage, row: StatementRow): Cell[] {
  const { formats, words, unnamed, direction } = language;
  const category = row.category.toLowerCase();
  const sign = { debit: '−', credit: '+' }[category] ?? '';
  const isVoid = ['rejected', 'cancelled'].includes(row.status.toLowerCase());
  const isUsual = row.status.toLowerCase() === 'accepted';
  const about = [nameOf(words.types, row.type), row.notes, accountOf(row), row.details.reference ?? row.transactionId];
  return [
    fittedCell(type, columns.date, formats.moment(row.timeStamp), dateStyle),
    [
      spansOf(
        type,
        partyOf(row, direction) || (row.notes === '' ? unnamed : ''),
        about.filter(isGiven).map(isolate).join(' · '),
      ),
    ],
    fittedCell(type, columns.status, type.shorten(nameOf(words.statuses, row.status), 2 * columns.status.width), {
      size: 8,
      ...(isUsual && { color: grey }),
    }),
    fittedCell(type, columns.amount, formats.amount(row.amount, row.currency, sign), isVoid ? { color: grey } : {}),
  ];
}

/** The name, and after it in small letters what else is known, as far as the line has room. */
function spansOf(type: Typesetter, name: string, about: string): Span[] {
  const { x, width } = columns.details;
  const shown = type.shorten(name, about === '' ? width : width * nameShare);
  const nameWidth = type.widthOf(shown);
  const start = shown === '' ? 0 : nameWidth + spanGap;
  const rest = type.shorten(about, width - start, noteStyle);
  return [
    { text: shown, style: {}, box: { x, width: nameWidth } },
    { text: rest, style: noteStyle, box: { x: x + start, width: width - start } },
  ].filter(({ text }) => text !== '');
}

function partyOf({ category, senderName, receiverName }: StatementRow, direction: Direction): string {
  if (category.toLowerCase() === 'debit') return isolate(receiverName || senderName);
  if (category.toLowerCase() === 'credit') return isolate(senderName);
  return [senderName, receiverName]
    .filter(isGiven)
    .map(isolate)
    .join(direction === 'rtl' ? ' ← ' : ' → ');
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

/** The account of the other party. */
function accountOf({ category, details }: StatementRow): string | undefined {
  const iban = category.toLowerCase() === 'credit' ? details.senderIban : details.receiverIban;
  return iban === undefined ? details.accountNumber : groupIban(iban);
}
