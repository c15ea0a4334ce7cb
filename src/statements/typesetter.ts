/** Text on pages: fonts for every character, lines that fit, and the structure that screen readers follow. */
import PDFDocument from 'pdfkit';
import { isRightToLeftScript, piecesOf, type Direction } from './direction.ts';
import type { FontName, Fonts, Weight } from './fonts.ts';

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
  /** The language tag of the labels. */
  locale: string;
  /** The direction of the labels and of the columns. */
  direction: Direction;
}

const black = '#1a1a1a';
const bodySize = 9;
const pageWidth = 595.28;

export class Typesetter {
  readonly document: PDFKit.PDFDocument;
  readonly #fonts: Fonts;
  readonly #direction: Direction;
  #chunks: Uint8Array[] = [];

  constructor({ fonts, title, locale, direction }: TypesetterOptions) {
    this.#fonts = fonts;
    this.#direction = direction;
    this.document = new PDFDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      tagged: true,
      pdfVersion: '1.7',
      lang: locale,
      displayTitle: true,
      info: { Title: title, Producer: 'Ledgerline', Creator: 'Ledgerline' },
    });
    for (const [name, file] of fonts.files()) this.document.registerFont(name, file);
    this.document.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  /** Returns the bytes that are ready, each only once. */
  takeChunks(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Runs in the order in which they are read, each with its position on the line. */
  #runsOf(text: string, weight: Weight): { run: Run; place: number; placeInPiece: number }[] {
    return piecesOf(text, this.#direction).flatMap((piece) => {
      const runs = this.#splitByFont(this.#fonts.replaceMissing(piece.text), weight);
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

  /** In a right-to-left document the columns are mirrored, and everything is aligned on the right. */
  drawLine(text: string, box: Box, y: number, style: Style = {}): void {
    const { weight = 'regular', size = bodySize, color = black } = style;
    const runs = this.#runsOf(text, weight);
    const width = runs.reduce((sum, { run }) => sum + run.width, 0) * size;
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
      this.document.font(font).fontSize(size).fillColor(color).text(written, places.get(run), y, { lineBreak: false });
    }
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
        const characterWidth = this.widthOf(character, style);
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
