/** Text on pages: fonts for every character, lines that fit, and the structure that screen readers follow. */
import PDFDocument from 'pdfkit';
import { isRightToLeftScript, piecesOf, withoutMarks, type Direction } from './direction.ts';
import type { FontName, Fonts, Weight } from './fonts.ts';
import { createSubstitutes } from './missing-characters.ts';

export interface Style {
  weight?: Weight;
  size?: number;
  color?: string;
}

export interface Box {
  x: number;
  width: number;
  isRightAligned?: boolean;
}

/** A piece of a line, all in one font. */
interface Run {
  font: FontName;
  text: string;
  width: number;
}

export interface TypesetterOptions {
  fonts: Fonts;
  title: string;
  author: string;
  /** The language tag of the labels. */
  locale: string;
  /** The direction of the labels and of the columns. */
  direction: Direction;
}

const black = '#1a1a1a';
const bodySize = 9;
/** Of the bundled font, at size 1. */
const ascent = 0.93;
const pageWidth = 595.28;
const ellipsis = '…';
/** Characters; more never fit a line of a page, and need not be measured. */
const longestLine = 400;

export class Typesetter {
  readonly document: PDFKit.PDFDocument;
  readonly #fonts: Fonts;
  readonly #direction: Direction;
  readonly #replaceMissing: (text: string) => string;
  #chunks: Uint8Array[] = [];
  #pages = 0;
  #drawFooter: ((page: number) => void) | undefined;

  constructor({ fonts, title, author, locale, direction }: TypesetterOptions) {
    this.#fonts = fonts;
    this.#direction = direction;
    this.#replaceMissing = createSubstitutes((text) => fonts.canDraw(withoutMarks(text)), locale);
    this.document = new PDFDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      tagged: true,
      // A page is complete when it has its footer, which needs the number of all pages.
      bufferPages: true,
      pdfVersion: '1.7',
      lang: locale,
      displayTitle: true,
      info: { Title: title, Author: author, Producer: 'Ledgerline', Creator: 'Ledgerline' },
    });
    for (const [name, file] of fonts.files()) this.document.registerFont(name, file);
    this.document.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  beginPage(): void {
    // A page in memory takes ten times what it takes in the file.
    if (this.#drawFooter) this.document.flushPages();
    this.document.addPage();
    this.#pages += 1;
    this.#drawFooter?.(this.#pages);
  }

  /** Draws the footers of the pages that there are. Later ones get theirs when they begin. */
  beginFooters(draw: (page: number) => void): void {
    this.#drawFooter = draw;
    for (let page = 1; page <= this.#pages; page += 1) {
      this.document.switchToPage(page - 1);
      draw(page);
    }
  }

  get pages(): number {
    return this.#pages;
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.document.once('end', resolve));
    this.document.end();
    await ended;
  }

  /** Returns the bytes that are ready, each only once. */
  takeChunks(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Runs in the order in which they are read, each with its position on the line. */
  #runsOf(text: string, weight: Weight): { run: Run; place: number; placeInPiece: number }[] {
    return piecesOf(this.#replaceMissing(text), this.#direction).flatMap((piece) => {
      const runs = this.#splitByFont(piece.text, weight);
      const isReversed = isRightToLeftScript(piece.text);
      return runs.map((run, index) => ({ run, place: piece.place, placeInPiece: isReversed ? -index : index }));
    });
  }

  #splitByFont(text: string, weight: Weight): Run[] {
    const runs: Run[] = [];
    for (const character of text) {
      const font = this.#fonts.fontFor(character, weight);
      const last = runs.at(-1);
      if (last?.font === font) last.text += character;
      else runs.push({ font, text: character, width: 0 });
    }
    for (const run of runs) run.width = this.#fonts.widthOf(run.font, run.text);
    return runs;
  }

  widthOf(text: string, { weight = 'regular', size = bodySize }: Style = {}): number {
    return this.#runsOf(text, weight).reduce((sum, { run }) => sum + run.width, 0) * size;
  }

  /** A single character needs no order, whose computation takes far longer than this. */
  #widthOfCharacter(character: string, { weight = 'regular', size = bodySize }: Style): number {
    const runs = this.#splitByFont(this.#replaceMissing(withoutMarks(character)), weight);
    return runs.reduce((sum, run) => sum + run.width, 0) * size;
  }

  /** In a right-to-left document the columns are mirrored, and everything is aligned on the right. */
  drawLine(text: string, box: Box, y: number, style: Style = {}): void {
    const { weight = 'regular', size = bodySize, color = black } = style;
    const runs = this.#runsOf(text, weight);
    const width = runs.reduce((sum, { run }) => sum + run.width, 0) * size;
    // The same for all fonts and smaller sizes, so that texts beside each other are on one line.
    const baseline = y + Math.max(size, bodySize) * ascent;
    const isMirrored = this.#direction === 'rtl';
    const boxLeft = isMirrored ? pageWidth - box.x - box.width : box.x;
    let left = isMirrored || box.isRightAligned ? boxLeft + box.width - width : boxLeft;
    const places = new Map<Run, number>();
    for (const { run } of runs.toSorted((a, b) => a.place - b.place || a.placeInPiece - b.placeInPiece)) {
      places.set(run, left);
      left += run.width * size;
    }
    // Written in the order of reading, which screen readers follow.
    for (const { run } of runs) {
      const { font, text: written } = run;
      this.document
        .font(font)
        .fontSize(size)
        .fillColor(color)
        .text(written, places.get(run), baseline, { lineBreak: false, baseline: 'alphabetic' });
    }
  }

  /** The text on one line of a width, with an ellipsis if not all of it fits. */
  shorten(text: string, width: number, style: Style = {}): string {
    // One character that no font has may be written as a whole sentence, so what is written is cut too.
    const written = this.#replaceMissing(printable(text.slice(0, longestLine)));
    const line = written.slice(0, longestLine);
    const isCut = text.length > longestLine || written.length > longestLine;
    if (this.widthOf(line, style) <= width) return isCut ? `${line}${ellipsis}` : line;
    const room = width - this.widthOf(ellipsis, style);
    let end = 0;
    let taken = 0;
    for (const character of line) {
      taken += this.#widthOfCharacter(character, style);
      if (taken > room) break;
      end += character.length;
    }
    // Characters may be wider together than they are alone.
    let shortened = line.slice(0, end);
    while (shortened !== '' && this.widthOf(shortened, style) > room) shortened = shortened.slice(0, -1);
    return shortened === '' ? '' : `${shortened.trimEnd()}${ellipsis}`;
  }

  /** The style in which a text that must not be cut fits a width: smaller if it is long. */
  fit(text: string, width: number, style: Style = {}): Style {
    const { size = bodySize } = style;
    return { ...style, size: Math.min(size, (size * width) / Math.max(this.widthOf(text, style), 1)) };
  }

  /** The lines of a text that fit a width. A word that is too long is broken. */
  breakLines(text: string, width: number, style: Style = {}): string[] {
    const lines: string[] = [];
    let line = { text: '', width: 0 };
    const finish = () => {
      lines.push(line.text);
      line = { text: '', width: 0 };
    };
    const add = (piece: string, pieceWidth: number) => {
      line = { text: line.text + piece, width: line.width + pieceWidth };
    };
    const space = this.widthOf(' ', style);
    for (const word of printable(text).split(' ').filter(Boolean)) {
      const wordWidth = this.widthOf(word, style);
      if (line.text !== '' && line.width + space + wordWidth <= width) {
        add(` ${word}`, space + wordWidth);
        continue;
      }
      if (line.text !== '') finish();
      if (wordWidth <= width) {
        add(word, wordWidth);
        continue;
      }
      for (const character of word) {
        const characterWidth = this.#widthOfCharacter(character, style);
        if (line.text !== '' && line.width + characterWidth > width) finish();
        add(character, characterWidth);
      }
    }
    return line.text === '' ? lines : [...lines, line.text];
  }

  /** Content that screen readers skip: page numbers, repeated headings, rules. */
  asArtifact(draw: () => void): void {
    this.document.markContent('Artifact', { type: 'Pagination' });
    draw();
    this.document.endMarkedContent();
  }

  drawBand(y: number, x: number, width: number, height: number, color: string): void {
    this.asArtifact(() => this.document.rect(x, y, width, height).fill(color));
  }

  drawRule(y: number, x: number, width: number, color: string): void {
    this.asArtifact(() =>
      this.document
        .moveTo(x, y)
        .lineTo(x + width, y)
        .lineWidth(0.5)
        .strokeColor(color)
        .stroke(),
    );
  }
}

/** Replaces control characters: they are invisible, and a line break in a note would end outside its row. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
