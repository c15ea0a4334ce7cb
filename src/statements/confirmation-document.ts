/** A confirmation: one page, or a few if its notes are long, about one transaction. */
import { isolateLeftToRight } from './direction.ts';
import { groupIban } from './formats.ts';
import { brandStyle, cellOf, drawFooter, headingStyle, left, numberPage, rowGap, width } from './page-layout.ts';
import { PagedDocument } from './paged-document.ts';
import type { DocumentHead, StatementDetails, StatementRow } from './statement.ts';
import type { Style } from './typesetter.ts';
import { nameOf, type LabelledDetail } from '../words/words.ts';

const nameBox = { x: left, width: 140 };
const valueBox = { x: left + 150, width: width - 150 };

export class ConfirmationDocument extends PagedDocument {
  readonly #head: DocumentHead;

  constructor(head: DocumentHead) {
    super(head, 'confirmation');
    this.#head = head;
    this.#drawLine('P', head.brand, brandStyle);
    this.#drawLine('H1', this.texts.confirmation, { weight: 'bold', size: 20 });
  }

  write(rows: readonly StatementRow[]): Uint8Array[] {
    for (const row of rows) this.#drawTransaction(row);
    return this.type.takeChunks();
  }

  async end(): Promise<Uint8Array[]> {
    const { pages } = this.type;
    const name = `${this.#head.brand} · ${this.texts.confirmation}`;
    this.type.beginFooters((page) => drawFooter(this.type, name, numberPage(this.texts.page, page, pages)));
    return this.finish();
  }

  #drawLine(kind: 'H1' | 'P', text: string, style: Style): void {
    this.drawLines(kind, [text], style);
    this.y += rowGap;
  }

  #drawTransaction(row: StatementRow): void {
    const sign = { debit: '−', credit: '+' }[row.category.toLowerCase()] ?? '';
    this.#drawLine('P', this.formats.amount(row.amount, row.currency, sign), { weight: 'bold', size: 16 });
    this.y += rowGap;
    const table = this.beginTable();
    for (const [name, value] of this.#factsOf(row)) {
      const cells = [cellOf(this.type, nameBox, name, headingStyle), cellOf(this.type, valueBox, value)];
      this.drawRow({ table, kinds: ['TH', 'TD'], cells });
    }
    table.end();
  }

  /** Fields that the transaction does not have are left out. */
  #factsOf(row: StatementRow): [name: string, value: string][] {
    const texts = this.texts;
    const { timeZone, madeAt, individualId } = this.#head;
    const facts: [string, string][] = [
      [texts.date, `${this.formats.moment(row.timeStamp)} (${timeZone})`],
      [texts.status, nameOf(this.words.statuses, row.status)],
      [texts.sender, row.senderName],
      [texts.receiver, row.receiverName],
      [texts.notes, row.notes],
      [texts.type, nameOf(this.words.types, row.type)],
      [texts.paymentSystem, nameOf(this.words.systems, row.paymentSystem)],
      [texts.transactionId, row.transactionId],
      ...this.#detailsOf(row),
      [texts.individual, String(individualId)],
      [texts.madeAt, `${this.formats.moment(madeAt)} (${timeZone})`],
    ];
    return facts.filter(([, value]) => value !== '');
  }

  /** In the order of the labels, with an amount's currency beside it. */
  #detailsOf({ details, currency }: StatementRow): [name: string, value: string][] {
    const names = Object.keys(this.words.detailNames) as LabelledDetail[];
    return names.flatMap((name): [string, string][] => {
      const value = details[name];
      return value === undefined
        ? []
        : [[this.words.detailNames[name], this.#showDetail(name, value, details, currency)]];
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
    return this.formats.amount(isNegative ? decimal.slice(1) : decimal, currency, isNegative ? '−' : '');
  }
}
