/** Text on pages: fonts for every character, lines that fit, and the structure that screen readers follow. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import PDFDocument from 'pdfkit';

const fontFile = (name: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));

export type Weight = 'regular' | 'bold';

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

interface Run {
  font: string;
  text: string;
}

const black = '#1a1a1a';
const bodySize = 9;

/** The widths of a font's characters, without kerning: a line may be drawn a little narrower than it was measured. */
class Face {
  readonly #font: Font;
  readonly #widths = new Map<number, number>();

  constructor(file: Buffer) {
    this.#font = create(file) as Font;
  }

  has(codePoint: number): boolean {
    return this.#font.hasGlyphForCodePoint(codePoint);
  }

  /** At size 1. */
  widthOf(text: string): number {
    let width = 0;
    for (const character of text) width += this.#widthOfCodePoint(character.codePointAt(0)!);
    return width;
  }

  #widthOfCodePoint(codePoint: number): number {
    const known = this.#widths.get(codePoint);
    if (known !== undefined) return known;
    const width = this.#font.glyphForCodePoint(codePoint).advanceWidth / this.#font.unitsPerEm;
    this.#widths.set(codePoint, width);
    return width;
  }
}

export class Typesetter {
  readonly document: PDFKit.PDFDocument;
  readonly #fonts = new Map<string, Face>();
  #chunks: Uint8Array[] = [];

  constructor(options: { title: string; locale: string; extraFont: string | undefined }) {
    this.document = new PDFDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      tagged: true,
      pdfVersion: '1.7',
      lang: options.locale,
      displayTitle: true,
      info: { Title: options.title, Producer: 'Ledgerline', Creator: 'Ledgerline' },
    });
    this.#addFont('regular', fontFile('DejaVuSansCondensed'));
    this.#addFont('bold', fontFile('DejaVuSansCondensed-Bold'));
    if (options.extraFont !== undefined) this.#addFont('extra', readFileSync(options.extraFont));
    this.document.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  #addFont(name: string, file: Buffer): void {
    this.document.registerFont(name, file);
    this.#fonts.set(name, new Face(file));
  }

  /** The bytes that are ready, each once. */
  takeChunks(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Where the bundled font lacks a character, the extra one is used if it has it. Else a box shows that it is missing. */
  #runsOf(text: string, weight: Weight): Run[] {
    const runs: Run[] = [];
    for (const character of text) {
      const font = this.#needsExtra(character.codePointAt(0)!) ? 'extra' : weight;
      const last = runs.at(-1);
      if (last?.font === font) last.text += character;
      else runs.push({ font, text: character });
    }
    return runs;
  }

  #needsExtra(codePoint: number): boolean {
    const extra = this.#fonts.get('extra');
    return extra !== undefined && !this.#fonts.get('regular')!.has(codePoint) && extra.has(codePoint);
  }

  widthOf(text: string, { weight = 'regular', size = bodySize }: Style = {}): number {
    let width = 0;
    for (const { font, text: run } of this.#runsOf(text, weight)) width += this.#fonts.get(font)!.widthOf(run);
    return width * size;
  }

  drawLine(text: string, { x, width, isRightAligned }: Box, y: number, style: Style = {}): void {
    const { weight = 'regular', size = bodySize, color = black } = style;
    let left = isRightAligned ? x + width - this.widthOf(text, style) : x;
    for (const run of this.#runsOf(text, weight)) {
      this.document.font(run.font).fontSize(size).fillColor(color).text(run.text, left, y, { lineBreak: false });
      left += this.#fonts.get(run.font)!.widthOf(run.text) * size;
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

  /** Content that screen readers pass over: page numbers, repeated headings, rules. */
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

/** Control characters have no shape, and a line break inside a note would leave its row. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
