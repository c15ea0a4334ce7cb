/** The pages of a statement: a head with totals by currency, then one row for each transaction, oldest first. */
import { Fonts } from './fonts.ts';
import { createFormats, groupIban, type Formats } from './formats.ts';
import {
  bottom,
  cellOf,
  drawTableRow,
  grey,
  headingStyle,
  heightOf,
  left,
  lineHeight,
  noteStyle,
  rowGap,
  top,
  width,
  type Cell,
  type Structure,
} from './page-layout.ts';
import { chooseLanguage, type StatementTexts } from './statement-texts.ts';
import type { CurrencyTotals, StatementHead, StatementRow } from './statement.ts';
import { Typesetter, type Box, type Style } from './typesetter.ts';

const columns = {
  date: { x: left, width: 104 },
  details: { x: left + 110, width: 228 },
  status: { x: left + 344, width: 58 },
  amount: { x: left + 402, width: 97, isRightAligned: true },
} satisfies Record<string, Box>;

const totalsColumns = {
  currency: { x: left, width: 70 },
  count: { x: left + 70, width: 90, isRightAligned: true },
  moneyIn: { x: left + 170, width: 105, isRightAligned: true },
  moneyOut: { x: left + 285, width: 105, isRightAligned: true },
  other: { x: left + 394, width: 105, isRightAligned: true },
} satisfies Record<string, Box>;

export class StatementDocument {
  readonly #type: Typesetter;
  readonly #texts: StatementTexts;
  readonly #formats: Formats;
  readonly #head: StatementHead;
  readonly #root: Structure;
  readonly #table: Structure;
  #y = bottom;
  #pages = 0;
  #rows = 0;

  constructor(head: StatementHead) {
    this.#head = head;
    const fonts = new Fonts(head.extraFont);
    const { texts, labelLocale, formatLocale, direction } = chooseLanguage(head.locale, fonts);
    this.#texts = texts;
    this.#formats = createFormats(formatLocale, head.timeZone);
    this.#type = new Typesetter({ fonts, title: texts.title, locale: labelLocale, direction });
    const { document } = this.#type;
    this.#root = document.struct('Document');
    document.addStructure(this.#root);
    this.#beginPage();
    this.#drawHead();
    this.#table = document.struct('Table');
    this.#root.add(this.#table);
    this.#drawTableHead();
  }

  write(rows: readonly StatementRow[]): Uint8Array[] {
    for (const row of rows) this.#drawRow(this.#cellsOf(row));
    this.#rows += rows.length;
    return this.#type.takeChunks();
  }

  /** The last bytes arrive after the document's own end event. */
  async end(): Promise<Uint8Array[]> {
    const { document } = this.#type;
    this.#table.end();
    if (this.#rows === 0) this.#drawParagraph('P', this.#texts.none, {});
    this.#makeRoom(2 * lineHeight);
    this.#y += rowGap;
    const last = `${this.#texts.end} · ${this.#texts.count}: ${this.#formats.count(this.#rows)}`;
    this.#drawParagraph('P', last, { color: grey });
    this.#root.end();
    const ended = new Promise((resolve) => document.once('end', resolve));
    document.end();
    await ended;
    return this.#type.takeChunks();
  }

  #beginPage(): void {
    this.#type.document.addPage();
    this.#pages += 1;
    this.#y = top;
    const { title, individual, page } = this.#texts;
    this.#type.asArtifact(() => {
      const footer = `${title} · ${individual} ${this.#head.individualId}`;
      this.#type.drawLine(footer, { x: left, width }, bottom + 24, noteStyle);
      const number = `${page} ${this.#formats.count(this.#pages)}`;
      const numberWidth = this.#type.widthOf(number, noteStyle);
      this.#type.drawLine(number, { x: left + width - numberWidth, width: numberWidth }, bottom + 24, noteStyle);
    });
  }

  /** Returns whether a new page was started. */
  #makeRoom(height: number): boolean {
    if (this.#y + height <= bottom) return false;
    this.#beginPage();
    return true;
  }

  #drawParagraph(kind: 'H1' | 'H2' | 'P', text: string, style: Style): void {
    const { size = 9 } = style;
    const lines = this.#type.breakLines(text, width, style);
    const paragraph = this.#type.document.struct(kind, {}, () => {
      for (const line of lines) {
        this.#type.drawLine(line, { x: left, width }, this.#y, style);
        this.#y += size * 1.35;
      }
    });
    this.#root.add(paragraph);
    paragraph.end();
  }

  #drawHead(): void {
    const { individualId, filters, timeZone, madeAt, totals } = this.#head;
    const texts = this.#texts;
    this.#drawParagraph('H1', texts.title, { weight: 'bold', size: 20 });
    this.#y += rowGap;
    this.#drawParagraph('P', `${texts.individual}: ${individualId}`, {});
    this.#drawParagraph('P', `${texts.period}: ${this.#describePeriod()}`, {});
    this.#drawParagraph('P', `${texts.madeAt}: ${this.#formats.moment(madeAt)} (${timeZone})`, {});
    const named = filters.map(([name, value]) => `${name} = ${value}`).join(', ');
    if (named !== '') this.#drawParagraph('P', `${texts.filters}: ${named}`, {});
    if (totals.length > 0) this.#drawTotals(totals);
    this.#y += 2 * rowGap;
    this.#makeRoom(6 * lineHeight);
    this.#drawParagraph('H2', texts.transactions, { weight: 'bold', size: 12 });
    this.#y += rowGap;
  }

  #describePeriod(): string {
    const { from, to } = this.#head;
    const { first, last } = this.#formats;
    if (from !== undefined && to !== undefined) return `${first(from)} – ${last(to)}`;
    if (from !== undefined) return `${this.#texts.since} ${first(from)}`;
    return to === undefined ? this.#texts.allTime : `${this.#texts.until} ${last(to)}`;
  }

  #drawTotals(totals: readonly CurrencyTotals[]): void {
    const texts = this.#texts;
    this.#y += 2 * rowGap;
    this.#drawParagraph('H2', texts.totals, { weight: 'bold', size: 12 });
    this.#y += rowGap;
    const table = this.#type.document.struct('Table');
    this.#root.add(table);
    const columnNames = Object.keys(totalsColumns) as (keyof typeof totalsColumns)[];
    const heading = columnNames.map((name) => ({
      box: totalsColumns[name],
      lines: [{ text: texts[name], style: headingStyle }],
    }));
    this.#drawCells(table, 'TH', heading);
    for (const each of totals) {
      this.#makeRoom(lineHeight + rowGap);
      const values = {
        currency: each.currency,
        count: this.#formats.count(each.count),
        moneyIn: this.#formats.amount(each.moneyIn, each.currency),
        moneyOut: this.#formats.amount(each.moneyOut, each.currency),
        other: this.#formats.amount(each.other, each.currency),
      };
      const cells = columnNames.map((name) => ({
        box: totalsColumns[name],
        lines: [{ text: values[name], style: {} }],
      }));
      this.#drawCells(table, 'TD', cells);
    }
    table.end();
  }

  #tableHead(): Cell[] {
    return (Object.keys(columns) as (keyof typeof columns)[]).map((name) => ({
      box: columns[name],
      lines: [{ text: this.#texts[name], style: headingStyle }],
    }));
  }

  #drawTableHead(): void {
    this.#drawCells(this.#table, 'TH', this.#tableHead());
  }

  /** Repeats the names of the columns on another page. */
  #repeatTableHead(): void {
    this.#type.asArtifact(() => {
      for (const { box, lines } of this.#tableHead()) this.#type.drawLine(lines[0]!.text, box, this.#y, headingStyle);
    });
    this.#y += lineHeight + rowGap;
  }

  #cellsOf(row: StatementRow): Cell[] {
    const isDebit = row.category.toLowerCase() === 'debit';
    const isCredit = row.category.toLowerCase() === 'credit';
    const sign = isDebit ? '−' : isCredit ? '+' : '';
    const party = isDebit ? row.receiverName : isCredit ? row.senderName : [row.senderName, row.receiverName];
    const cell = (name: keyof typeof columns, ...texts: [string, Style][]): Cell =>
      cellOf(this.#type, columns[name], ...texts);
    return [
      cell('date', [this.#formats.moment(row.timeStamp), {}]),
      cell(
        'details',
        [[party].flat().filter(Boolean).join(' → '), {}],
        [[row.type, accountOf(row), row.details.reference, row.notes].filter(Boolean).join(' · '), noteStyle],
        [row.transactionId, noteStyle],
      ),
      cell('status', [row.status, {}]),
      cell('amount', [this.#formats.amount(row.amount, row.currency, sign), {}]),
    ];
  }

  #drawRow(cells: Cell[]): void {
    if (this.#makeRoom(heightOf(cells))) this.#repeatTableHead();
    this.#drawCells(this.#table, 'TD', cells);
  }

  #drawCells(table: Structure, kind: 'TH' | 'TD', cells: readonly Cell[]): void {
    this.#y = drawTableRow(this.#type, { table, kinds: [kind], cells, y: this.#y });
  }
}

/** The account of the other party. */
function accountOf({ category, details }: StatementRow): string | undefined {
  const iban = category.toLowerCase() === 'credit' ? details.senderIban : details.receiverIban;
  return iban === undefined ? details.accountNumber : groupIban(iban);
}
