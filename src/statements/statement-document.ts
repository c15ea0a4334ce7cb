/** The pages of a statement: a head with totals by currency, then one line for each transaction, oldest first. */
import { isolateLeftToRight } from './direction.ts';
import { describeFilter } from './filter-text.ts';
import { groupIban } from './formats.ts';
import {
  bottom,
  brandStyle,
  drawFooter,
  fittedCell,
  grey,
  headingStyle,
  left,
  lineHeight,
  numberPage,
  rowGap,
  top,
  width,
  type Cell,
  type Structure,
} from './page-layout.ts';
import { PagedDocument } from './paged-document.ts';
import { cellsOf, columns } from './statement-row.ts';
import type { CurrencyTotals, StatementHead, StatementRow } from './statement.ts';
import type { Box, Style } from './typesetter.ts';

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

export class StatementDocument extends PagedDocument {
  readonly #head: StatementHead;
  /** By month. */
  readonly #subtotals: ReadonlyMap<string, readonly CurrencyTotals[]>;
  readonly #table: Structure;
  #rows = 0;
  /** The month of the last row. */
  #month: string | undefined;

  constructor(head: StatementHead) {
    super(head, 'title');
    this.#head = head;
    this.#subtotals = new Map(head.months.map(({ month, totals }) => [month, totals]));
    this.#drawHead();
    this.#table = this.beginTable();
    this.drawRow({ table: this.#table, kinds: ['TH'], cells: this.#tableHead() });
    this.#beginFooters();
  }

  write(rows: readonly StatementRow[]): Uint8Array[] {
    for (const row of rows) this.#drawTransaction(row);
    this.#rows += rows.length;
    return this.type.takeChunks();
  }

  async end(): Promise<Uint8Array[]> {
    this.#drawSubtotals();
    this.#table.end();
    if (this.#rows === 0) this.#drawParagraph('P', this.texts.none, {});
    this.makeRoom(endHeight);
    this.y += rowGap;
    const last = `${this.texts.end} · ${this.texts.count}: ${this.formats.count(this.#rows)}`;
    this.#drawParagraph('P', last, { color: grey });
    return this.finish();
  }

  #beginFooters(): void {
    const { brand, individualId } = this.#head;
    const { title, individual, page: template } = this.texts;
    const name = `${brand} · ${title} · ${individual} ${individualId}`;
    const pages = this.#countPages();
    this.type.beginFooters((page) => drawFooter(this.type, name, numberPage(template, page, pages)));
  }

  /** All rows are one line, so the pages are known before the rows are drawn. */
  #countPages(): number {
    const { rowCount, months } = this.#head;
    const subtotals = months.length < 2 ? 0 : months.reduce((sum, { totals }) => sum + totals.length, 0);
    const rowHeight = lineHeight + rowGap;
    const rows = Array<number>(rowCount + subtotals).fill(rowHeight);
    let { pages } = this.type;
    let y = this.y;
    for (const height of [...rows, endHeight]) {
      if (y + height > bottom) {
        pages += 1;
        y = top + rowHeight;
      }
      y += height;
    }
    return pages;
  }

  #drawParagraph(kind: 'H1' | 'H2' | 'P', text: string, style: Style): void {
    this.drawLines(kind, this.type.breakLines(text, width, style), style);
  }

  #drawHead(): void {
    const { brand, totals } = this.#head;
    this.#drawParagraph('P', brand, brandStyle);
    this.#drawParagraph('H1', this.texts.title, { weight: 'bold', size: 20 });
    this.y += rowGap;
    for (const [name, value] of this.#facts()) this.#drawParagraph('P', `${name}: ${value}`, {});
    if (totals.length > 0) this.#drawTotals(totals);
    this.y += 2 * rowGap;
    this.makeRoom(6 * lineHeight);
    this.#drawParagraph('H2', this.texts.transactions, { weight: 'bold', size: 12 });
    this.y += rowGap;
  }

  /** What is not known is left out. */
  #facts(): [name: string, value: string][] {
    const { individualId, holder, filters, timeZone, madeAt } = this.#head;
    const texts = this.texts;
    const described = filters.map(([name, value]) => describeFilter(texts, this.words, name, value));
    const facts: [string, string | undefined][] = [
      [texts.holder, holder.name],
      [texts.account, holder.iban && isolateLeftToRight(groupIban(holder.iban))],
      [texts.individual, String(individualId)],
      [texts.period, this.#describePeriod()],
      [texts.madeAt, `${this.formats.moment(madeAt)} (${timeZone})`],
      [texts.filters, described.length === 0 ? undefined : described.join(' · ')],
    ];
    return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
  }

  #describePeriod(): string {
    const { from, to } = this.#head;
    const { first, last } = this.formats;
    if (from !== undefined && to !== undefined) return `${first(from)} – ${last(to)}`;
    if (from !== undefined) return `${this.texts.since} ${first(from)}`;
    return to === undefined ? this.texts.allTime : `${this.texts.until} ${last(to)}`;
  }

  #drawTotals(totals: readonly CurrencyTotals[]): void {
    const texts = this.texts;
    this.y += 2 * rowGap;
    this.#drawParagraph('H2', texts.totals, { weight: 'bold', size: 12 });
    this.y += rowGap;
    const table = this.beginTable();
    const columnNames = Object.keys(totalsColumns) as (keyof typeof totalsColumns)[];
    const cellsWith = (values: Record<keyof typeof totalsColumns, string>, style: Style) =>
      columnNames.map((name) => fittedCell(this.type, totalsColumns[name], values[name], style));
    this.drawRow({ table, kinds: ['TH'], cells: cellsWith(texts, headingStyle) });
    for (const each of totals) {
      const values = {
        currency: each.currency,
        count: this.formats.count(each.count),
        moneyIn: this.formats.amount(each.moneyIn, each.currency),
        moneyOut: this.formats.amount(each.moneyOut, each.currency),
        other: this.formats.amount(each.other, each.currency),
      };
      this.drawRow({ table, kinds: ['TD'], cells: cellsWith(values, {}) });
    }
    table.end();
  }

  #tableHead(): Cell[] {
    return (Object.keys(columns) as (keyof typeof columns)[]).map((name) =>
      fittedCell(this.type, columns[name], this.texts[name], headingStyle),
    );
  }

  /** Repeats the names of the columns on another page. */
  #repeatTableHead(): void {
    this.type.asArtifact(() => {
      for (const { text, box, style } of this.#tableHead().flat(2)) this.type.drawLine(text, box, this.y, style);
    });
    this.y += lineHeight + rowGap;
  }

  #drawTransaction(row: StatementRow): void {
    const month = this.formats.monthOf(row.timeStamp);
    if (month !== this.#month) this.#drawSubtotals();
    this.#month = month;
    const { formats, words, direction } = this;
    const language = { formats, words, unnamed: this.texts.unnamed, direction };
    this.#drawTableRow(['TD'], cellsOf(this.type, language, row));
  }

  /** After the last row of a month. With one month alone they are the totals. */
  #drawSubtotals(): void {
    if (this.#month === undefined || this.#subtotals.size < 2) return;
    for (const [index, totals] of (this.#subtotals.get(this.#month) ?? []).entries()) {
      const name = index === 0 ? this.formats.month(this.#month) : '';
      const cells = [
        fittedCell(this.type, subtotalColumns.month, name, { weight: 'bold', size: 8 }),
        fittedCell(this.type, subtotalColumns.sums, this.#describeSums(totals), { size: 8 }),
      ];
      this.#drawTableRow(['TH', 'TD'], cells, true);
    }
  }

  #describeSums({ currency, count, moneyIn, moneyOut, other }: CurrencyTotals): string {
    const texts = this.texts;
    const sums = [
      `${texts.count}: ${this.formats.count(count)}`,
      `${texts.moneyIn}: ${this.formats.amount(moneyIn, currency)}`,
      `${texts.moneyOut}: ${this.formats.amount(moneyOut, currency)}`,
      ...(Number(other) === 0 ? [] : [`${texts.other}: ${this.formats.amount(other, currency)}`]),
    ];
    return sums.join(' · ');
  }

  #drawTableRow(kinds: ('TH' | 'TD')[], cells: Cell[], isBand = false): void {
    this.drawRow({ table: this.#table, kinds, cells, isBand }, () => this.#repeatTableHead());
  }
}
