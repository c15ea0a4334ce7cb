/** The fonts of a document: the bundled ones, and that of the operator for characters that they lack. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { isRightToLeftScript } from './direction.ts';

const bundledFile = (name: string) => createRequire(import.meta.url).resolve(name);

export type Weight = 'regular' | 'bold';
export type FontName = Weight | 'extra' | 'japanese';
/** Which font has a character. */
type Source = 'bundled' | 'extra' | 'japanese' | 'none';

/** The widths of a font's characters, without kerning: a line may be drawn a little narrower than it was measured. */
class Face {
  readonly file: string;
  readonly #widths = new Map<number, number>();
  #read: Font | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** Read when it is needed: few documents have Japanese characters. */
  get #font(): Font {
    this.#read ??= create(readFileSync(this.file)) as Font;
    return this.#read;
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
      regular: new Face(bundledFile('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
      bold: new Face(bundledFile('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')),
      ...(extraFont !== undefined && { extra: new Face(extraFont) }),
      japanese: new Face(bundledFile('@expo-google-fonts/kosugi/Kosugi_400Regular.ttf')),
    };
  }

  files(): [name: string, file: string][] {
    return Object.entries(this.#faces).map(([name, { file }]) => [name, file]);
  }

  /** If the bundled font lacks a character, the operator's is used if it has it, and then the Japanese one. */
  fontFor(character: string, weight: Weight): FontName {
    const source = this.#sourceOf(character);
    return source === 'extra' || source === 'japanese' ? source : weight;
  }

  canDraw(text: string): boolean {
    for (const character of text) if (this.#sourceOf(character) === 'none') return false;
    return true;
  }

  #sourceOf(character: string): Source {
    const known = this.#sources.get(character);
    if (known !== undefined) return known;
    const codePoint = character.codePointAt(0)!;
    const { regular, ...others } = this.#faces;
    const source = regular.has(codePoint)
      ? 'bundled'
      : ((['extra', 'japanese'] as const).find((name) => others[name]?.has(codePoint)) ?? 'none');
    this.#sources.set(character, source);
    return source;
  }

  /** At size 1. */
  widthOf(font: FontName, text: string): number {
    return this.#faces[font]!.widthOf(text);
  }
}
