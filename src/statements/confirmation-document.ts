/** A confirmation: one page, or a few if its notes are long, about one transaction. */
import { isolateLeftToRight } from './direction.ts';
import { Fonts } from './fonts.ts';
import { createFormats, groupIban, type Formats } from './formats.ts';
import {
  bottom,
  brandStyle,
  cellOf,
  drawFooter,
  drawTableRow,
  headingStyle,
  heightOf,
  left,
  numberPage,
  rowGap,
  top,
  width,
} from './page-layout.ts';
import { chooseLanguage, type StatementTexts } from './statement-texts.ts';
import type { DocumentHead, StatementDetails, StatementRow } from './statement.ts';
import { Typesetter, type Style } from './typesetter.ts';
import { nameOf, type LabelledDetail, type Words } from '../words/words.ts';

const nameBox = { x: left, width: 140 };
const valueBox = { x: left + 150, width: width - 150 };

export class ConfirmationDocument {
  readonly #head: DocumentHead;
  readonly #type: Typesetter;
  readonly #texts: StatementTexts;
  readonly #words: Words;
  readonly #formats: Formats;
  readonly #root: ReturnType<PDFKit.PDFDocument['struct']>;
  #y = top;

  constructor(head: DocumentHead) {
    this.#head = head;
    const fonts = new Fonts(head.extraFont);
    const { texts, words, labelLocale, formatLocale, direction } = chooseLanguage(head.locale, fonts);
    this.#texts = texts;
    this.#words = words;
    this.#formats = createFormats(formatLocale, head.timeZone);
    this.#type = new Typesetter({
      fonts,
      title: texts.confirmation,
      author: head.brand,
      locale: labelLocale,
      direction,
    });
    const { document } = this.#type;
    this.#root = document.struct('Document');
    document.addStructure(this.#root);
    this.#type.beginPage();
    this.#drawLine('P', head.brand, brandStyle);
    this.#drawLine('H1', this.#texts.confirmation, { weight: 'bold', size: 20 });
  }

  write(rows: readonly StatementRow[]): Uint8Array[] {
    for (const row of rows) this.#drawTransaction(row);
    return this.#type.takeChunks();
  }

  async end(): Promise<Uint8Array[]> {
    this.#root.end();
    const { pages } = this.#type;
    const name = `${this.#head.brand} · ${this.#texts.confirmation}`;
    this.#type.beginFooters((page) => drawFooter(this.#type, name, numberPage(this.#texts.page, page, pages)));
    await this.#type.end();
    return this.#type.takeChunks();
  }

  #drawLine(kind: 'H1' | 'P', text: string, style: Style): void {
    const line = this.#type.document.struct(kind, {}, () =>
      this.#type.drawLine(text, { x: left, width }, this.#y, style),
    );
    this.#root.add(line);
    line.end();
    this.#y += (style.size ?? 9) * 1.35 + rowGap;
  }

  #drawTransaction(row: StatementRow): void {
    const sign = { debit: '−', credit: '+' }[row.category.toLowerCase()] ?? '';
    this.#drawLine('P', this.#formats.amount(row.amount, row.currency, sign), { weight: 'bold', size: 16 });
    this.#y += rowGap;
    const table = this.#type.document.struct('Table');
    this.#root.add(table);
    for (const [name, value] of this.#factsOf(row)) {
      const cells = [cellOf(this.#type, nameBox, name, headingStyle), cellOf(this.#type, valueBox, value)];
      if (this.#y + heightOf(cells) > bottom) {
        this.#type.beginPage();
        this.#y = top;
      }
      this.#y = drawTableRow(this.#type, { table, kinds: ['TH', 'TD'], cells, y: this.#y });
    }
    table.end();
  }

  /** Fields that the transaction does not have are left out. */
  #factsOf(row: StatementRow): [name: string, value: string][] {
    const texts = this.#texts;
    const { timeZone, madeAt, individualId } = this.#head;
    const facts: [string, string][] = [
      [texts.date, `${this.#formats.moment(row.timeStamp)} (${timeZone})`],
      [texts.status, nameOf(this.#words.statuses, row.status)],
      [texts.sender, row.senderName],
      [texts.receiver, row.receiverName],
      [texts.notes, row.notes],
      [texts.type, nameOf(this.#words.types, row.type)],
      [texts.paymentSystem, nameOf(this.#words.systems, row.paymentSystem)],
      [texts.transactionId, row.transactionId],
      ...this.#detailsOf(row),
      [texts.individual, String(individualId)],
      [texts.madeAt, `${this.#formats.moment(madeAt)} (${timeZone})`],
    ];
    return facts.filter(([, value]) => value !== '');
  }

  /** In the order of the labels, with an amount's currency beside it. */
  #detailsOf({ details, currency }: StatementRow): [name: string, value: string][] {
    const names = Object.keys(this.#words.detailNames) as LabelledDetail[];
    return names.flatMap((name): [string, string][] => {
      const value = details[name];
      return value === undefined
        ? []
        : [[this.#words.detailNames[name], this.#showDetail(name, value, details, currency)]];
    });
  }

  #showDetail(name: LabelledDetail, value: string, details: StatementDetails, currency: string): string {
    switch (name) {
      case 'senderIban':
      case 'receiverIban':
        return isolateLeftToRight(groupIban(value));
      case 'transactionFee':
        return this.#showAmount(value, details.feeCurrency ?? currency);
      case 'originalAmount':
        return this.#showAmount(value, details.originalCurrency ?? currency);
      case 'balanceAfter':
        return this.#showAmount(value, currency);
      default:
        return value;
    }
  }

  #showAmount(decimal: string, currency: string): string {
    const isNegative = decimal.startsWith('-');
    return this.#formats.amount(isNegative ? decimal.slice(1) : decimal, currency, isNegative ? '−' : '');
  }
}
