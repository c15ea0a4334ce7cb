/** The fonts of a document: the bundled ones, and one for characters that they lack. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { isRightToLeftScript } from './direction.ts';

const bundledFile = (name: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));

const missingCharacter = '□';

export type Weight = 'regular' | 'bold';
export type FontName = Weight | 'extra';
/** Which font has a character. */
type Source = 'bundled' | 'extra' | 'none';

/** The widths of a font's characters, without kerning: a line may be drawn a little narrower than it was measured. */
class Face {
  readonly file: Buffer;
  readonly #font: Font;
  readonly #widths = new Map<number, number>();

  constructor(file: Buffer) {
    this.file = file;
    this.#font = create(file) as Font;
  }

  has(codePoint: number): boolean {
    return this.#font.hasGlyphForCodePoint(codePoint);
  }

  /** At size 1. */
  widthOf(text: string): number {
    // These letters are joined, and each of them has several shapes.
    if (isRightToLeftScript(text)) return this.#font.layout(text).advanceWidth / this.#font.unitsPerEm;
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

export class Fonts {
  readonly #faces: Partial<Record<FontName, Face>> & Record<Weight, Face>;
  readonly #sources = new Map<string, Source>();

  constructor(extraFont: string | undefined) {
    this.#faces = {
      regular: new Face(bundledFile('DejaVuSansCondensed')),
      bold: new Face(bundledFile('DejaVuSansCondensed-Bold')),
      ...(extraFont !== undefined && { extra: new Face(readFileSync(extraFont)) }),
    };
  }

  files(): [name: string, file: Buffer][] {
    return Object.entries(this.#faces).map(([name, { file }]) => [name, file]);
  }

  /**
   * The text as the fonts can show it: a box replaces each character that no font has, and invisible characters are
   * removed.
   */
  replaceMissing(text: string): string {
    if (this.canDraw(text)) return text;
    return Array.from(text, (character) => {
      if (this.canDraw(character)) return character;
      return /\p{Default_Ignorable_Code_Point}/u.test(character) ? '' : missingCharacter;
    }).join('');
  }

  /** If the bundled font lacks a character, the extra font is used if it has it. */
  fontFor(character: string, weight: Weight): FontName {
    return this.#sourceOf(character) === 'extra' ? 'extra' : weight;
  }

  canDraw(text: string): boolean {
    for (const character of text) if (this.#sourceOf(character) === 'none') return false;
    return true;
  }

  #sourceOf(character: string): Source {
    const known = this.#sources.get(character);
    if (known !== undefined) return known;
    const codePoint = character.codePointAt(0)!;
    const { regular, extra } = this.#faces;
    const source = regular.has(codePoint) ? 'bundled' : extra?.has(codePoint) ? 'extra' : 'none';
    this.#sources.set(character, source);
    return source;
  }

  /** At size 1. */
  widthOf(font: FontName, text: string): number {
    return this.#faces[font]!.widthOf(text);
  }
}
