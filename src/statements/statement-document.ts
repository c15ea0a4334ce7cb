/** The pages of a statement: a head with totals by currency, then one line for each transaction, oldest first. */
import { isolateLeftToRight, type Direction } from './direction.ts';
import { describeFilter } from './filter-text.ts';
import { Fonts } from './fonts.ts';
import { createFormats, groupIban, type Formats } from './formats.ts';
import {
  bottom,
  brandStyle,
  drawFooter,
  drawTableRow,
  fittedCell,
  grey,
  headingStyle,
  heightOf,
  left,
  lineHeight,
  numberPage,
  rowGap,
  top,
  width,
  type Cell,
  type Structure,
} from './page-layout.ts';
import { cellsOf, columns } from './statement-row.ts';
import { chooseLanguage, type StatementTexts } from './statement-texts.ts';
import type { CurrencyTotals, StatementHead, StatementRow } from './statement.ts';
import { Typesetter, type Box, type Style } from './typesetter.ts';
import type { Words } from '../words/words.ts';

const totalsColumns = {
  currency: { x: left, width: 70 },
  count: { x: left + 70, width: 90, isRightAligned: true },
  moneyIn: { x: left + 170, width: 105, isRightAligned: true },
  moneyOut: { x: left + 285, width: 105, isRightAligned: true },
  other: { x: left + 394, width: 105, isRightAligned: true },
} satisfies Record<string, Box>;

/** The sums of a month: its name, and a line that ends where the amounts end. */
const subtotalColumns = {
  month: columns.date,
  sums: { x: columns.details.x, width: left + width - columns.details.x, isRightAligned: true },
} satisfies Record<string, Box>;

/** Of the line after the last row. */
const endHeight = 2 * lineHeight;

export class StatementDocument {
  readonly #type: Typesetter;
  readonly #texts: StatementTexts;
  readonly #words: Words;
  readonly #direction: Direction;
  readonly #formats: Formats;
  readonly #head: StatementHead;
  /** By month. */
  readonly #subtotals: ReadonlyMap<string, readonly CurrencyTotals[]>;
  readonly #root: Structure;
  readonly #table: Structure;
  #y = bottom;
  #rows = 0;
  /** The month of the last row. */
  #month: string | undefined;

  constructor(head: StatementHead) {
    this.#head = head;
    this.#subtotals = new Map(head.months.map(({ month, totals }) => [month, totals]));
    const fonts = new Fonts(head.extraFont);
    const { texts, words, labelLocale, formatLocale, direction } = chooseLanguage(head.locale, fonts);
    this.#texts = texts;
    this.#words = words;
    this.#direction = direction;
    this.#formats = createFormats(formatLocale, head.timeZone);
    this.#type = new Typesetter({ fonts, title: texts.title, author: head.brand, locale: labelLocale, direction });
    const { document } = this.#type;
    this.#root = document.struct('Document');
    document.addStructure(this.#root);
    this.#beginPage();
    this.#drawHead();
    this.#table = document.struct('Table');
    this.#root.add(this.#table);
    this.#drawCells(this.#table, 'TH', this.#tableHead());
    this.#beginFooters();
  }

  write(rows: readonly StatementRow[]): Uint8Array[] {
    for (const row of rows) this.#drawTransaction(row);
    this.#rows += rows.length;
    return this.#type.takeChunks();
  }

  /** The last bytes arrive after the document's own end event. */
  async end(): Promise<Uint8Array[]> {
    this.#drawSubtotals();
    this.#table.end();
    if (this.#rows === 0) this.#drawParagraph('P', this.#texts.none, {});
    this.#makeRoom(endHeight);
    this.#y += rowGap;
    const last = `${this.#texts.end} · ${this.#texts.count}: ${this.#formats.count(this.#rows)}`;
    this.#drawParagraph('P', last, { color: grey });
    this.#root.end();
    await this.#type.end();
    return this.#type.takeChunks();
  }

  #beginPage(): void {
    this.#type.beginPage();
    this.#y = top;
  }

  #beginFooters(): void {
    const { brand, individualId } = this.#head;
    const { title, individual, page: template } = this.#texts;
    const name = `${brand} · ${title} · ${individual} ${individualId}`;
    const pages = this.#countPages();
    this.#type.beginFooters((page) =>
      // A row that got another month while the rows were read may need a page more.
      drawFooter(this.#type, name, numberPage(template, page, Math.max(page, pages))),
    );
  }

  /** All rows are one line, so the pages are known before the rows are drawn. */
  #countPages(): number {
    const { rowCount, months } = this.#head;
    const subtotals = months.length < 2 ? 0 : months.reduce((sum, { totals }) => sum + totals.length, 0);
    const rowHeight = lineHeight + rowGap;
    const rows = Array<number>(rowCount + subtotals).fill(rowHeight);
    let { pages } = this.#type;
    let y = this.#y;
    for (const height of [...rows, endHeight]) {
      if (y + height > bottom) {
        pages += 1;
        y = top + rowHeight;
      }
      y += height;
    }
    return pages;
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
    const { brand, totals } = this.#head;
    this.#drawParagraph('P', brand, brandStyle);
    this.#drawParagraph('H1', this.#texts.title, { weight: 'bold', size: 20 });
    this.#y += rowGap;
    for (const [name, value] of this.#facts()) this.#drawParagraph('P', `${name}: ${value}`, {});
    if (totals.length > 0) this.#drawTotals(totals);
    this.#y += 2 * rowGap;
    this.#makeRoom(6 * lineHeight);
    this.#drawParagraph('H2', this.#texts.transactions, { weight: 'bold', size: 12 });
    this.#y += rowGap;
  }

  /** What is not known is left out. */
  #facts(): [name: string, value: string][] {
    const { individualId, holder, filters, timeZone, madeAt } = this.#head;
    const texts = this.#texts;
    const described = filters.map(([name, value]) => describeFilter(texts, this.#words, name, value));
    const facts: [string, string | undefined][] = [
      [texts.holder, holder.name],
      [texts.account, holder.iban && isolateLeftToRight(groupIban(holder.iban))],
      [texts.individual, String(individualId)],
      [texts.period, this.#describePeriod()],
      [texts.madeAt, `${this.#formats.moment(madeAt)} (${timeZone})`],
      [texts.filters, described.length === 0 ? undefined : described.join(' · ')],
    ];
    return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
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
    const cellsWith = (values: Record<keyof typeof totalsColumns, string>, style: Style) =>
      columnNames.map((name) => fittedCell(this.#type, totalsColumns[name], values[name], style));
    this.#drawCells(table, 'TH', cellsWith(texts, headingStyle));
    for (const each of totals) {
      this.#makeRoom(lineHeight + rowGap);
      const values = {
        currency: each.currency,
        count: this.#formats.count(each.count),
        moneyIn: this.#formats.amount(each.moneyIn, each.currency),
        moneyOut: this.#formats.amount(each.moneyOut, each.currency),
        other: this.#formats.amount(each.other, each.currency),
      };
      this.#drawCells(table, 'TD', cellsWith(values, {}));
    }
    table.end();
  }

  #tableHead(): Cell[] {
    return (Object.keys(columns) as (keyof typeof columns)[]).map((name) =>
      fittedCell(this.#type, columns[name], this.#texts[name], headingStyle),
    );
  }

  /** Repeats the names of the columns on another page. */
  #repeatTableHead(): void {
    this.#type.asArtifact(() => {
      for (const { text, box, style } of this.#tableHead().flat(2)) this.#type.drawLine(text, box, this.#y, style);
    });
    this.#y += lineHeight + rowGap;
  }

  #drawTransaction(row: StatementRow): void {
    const month = this.#formats.monthOf(row.timeStamp);
    if (month !== this.#month) this.#drawSubtotals();
    this.#month = month;
    const language = {
      formats: this.#formats,
      words: this.#words,
      unnamed: this.#texts.unnamed,
      direction: this.#direction,
    };
    this.#drawRow(['TD'], cellsOf(this.#type, language, row));
  }

  /** After the last row of a month. With one month alone they are the totals. */
  #drawSubtotals(): void {
    if (this.#month === undefined || this.#subtotals.size < 2) return;
    for (const [index, totals] of (this.#subtotals.get(this.#month) ?? []).entries()) {
      const name = index === 0 ? this.#formats.month(this.#month) : '';
      const cells = [
        fittedCell(this.#type, subtotalColumns.month, name, { weight: 'bold', size: 8 }),
        fittedCell(this.#type, subtotalColumns.sums, this.#describeSums(totals), { size: 8 }),
      ];
      this.#drawRow(['TH', 'TD'], cells, true);
    }
  }

  #describeSums({ currency, count, moneyIn, moneyOut, other }: CurrencyTotals): string {
    const texts = this.#texts;
    const sums = [
      `${texts.count}: ${this.#formats.count(count)}`,
      `${texts.moneyIn}: ${this.#formats.amount(moneyIn, currency)}`,
      `${texts.moneyOut}: ${this.#formats.amount(moneyOut, currency)}`,
      ...(Number(other) === 0 ? [] : [`${texts.other}: ${this.#formats.amount(other, currency)}`]),
    ];
    return sums.join(' · ');
  }

  #drawRow(kinds: ('TH' | 'TD')[], cells: Cell[], isBand = false): void {
    if (this.#makeRoom(heightOf(cells))) this.#repeatTableHead();
    this.#y = drawTableRow(this.#type, { table: this.#table, kinds, cells, y: this.#y, isBand });
  }

  #drawCells(table: Structure, kind: 'TH' | 'TD', cells: readonly Cell[]): void {
    this.#y = drawTableRow(this.#type, { table, kinds: [kind], cells, y: this.#y });
  }
}
