/** What all documents have: their language, their pages, and a position on the page at which the next part is drawn. */
import type { Direction } from './direction.ts';
import { Fonts } from './fonts.ts';
import { createFormats, type Formats } from './formats.ts';
import { bottom, drawTableRow, heightOf, left, top, width, type Structure, type TableRow } from './page-layout.ts';
import { chooseLanguage, type StatementTexts } from './statement-texts.ts';
import type { DocumentHead } from './statement.ts';
import { Typesetter, type Style } from './typesetter.ts';
import type { Words } from '../words/words.ts';

export class PagedDocument {
  protected readonly type: Typesetter;
  protected readonly texts: StatementTexts;
  protected readonly words: Words;
  protected readonly direction: Direction;
  protected readonly formats: Formats;
  readonly #root: Structure;
  protected y = top;

  constructor({ locale, timeZone, brand, extraFont }: DocumentHead, title: 'title' | 'confirmation') {
    const fonts = new Fonts(extraFont);
    const { texts, words, labelLocale, formatLocale, direction } = chooseLanguage(locale, fonts);
    this.texts = texts;
    this.words = words;
    this.direction = direction;
    this.formats = createFormats(formatLocale, timeZone);
    this.type = new Typesetter({ fonts, title: texts[title], author: brand, locale: labelLocale, direction });
    this.#root = this.type.document.struct('Document');
    this.type.document.addStructure(this.#root);
    this.type.beginPage();
  }

  /** The last bytes arrive after the document's own end event. */
  protected async finish(): Promise<Uint8Array[]> {
    this.#root.end();
    await this.type.end();
    return this.type.takeChunks();
  }

  /** Returns whether a new page was started. */
  protected makeRoom(height: number): boolean {
    if (this.y + height <= bottom) return false;
    this.type.beginPage();
    this.y = top;
    return true;
  }

  protected drawLines(kind: 'H1' | 'H2' | 'P', lines: readonly string[], style: Style): void {
    const { size = 9 } = style;
    const paragraph = this.type.document.struct(kind, {}, () => {
      for (const line of lines) {
        this.type.drawLine(line, { x: left, width }, this.y, style);
        this.y += size * 1.35;
      }
    });
    this.#root.add(paragraph);
    paragraph.end();
  }

  /** The caller ends it. */
  protected beginTable(): Structure {
    const table = this.type.document.struct('Table');
    this.#root.add(table);
    return table;
  }

  /** `onNewPage` draws what a new page begins with, if the row needs one. */
  protected drawRow(row: Omit<TableRow, 'y'>, onNewPage = () => {}): void {
    if (this.makeRoom(heightOf(row.cells))) onNewPage();
    this.y = drawTableRow(this.type, { ...row, y: this.y });
  }
}
