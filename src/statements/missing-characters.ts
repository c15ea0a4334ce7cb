/** What a document shows instead of characters that no font has: something that can be read, and never an empty box. */
import { directionMark } from './direction.ts';

type CanDraw = (text: string) => boolean;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const emojiSubstitute = '*';
const unknownSubstitute = '?';
const firstRegionalIndicator = 0x1f1e6;

/** Scripts that the bundled fonts lack, wholly or in part. The characters of China and Korea are called by the language. */
const scripts = [
  { pattern: /\p{Script=Hani}/u, type: 'language', code: 'zh' },
  { pattern: /\p{Script=Hang}/u, type: 'language', code: 'ko' },
  ...'Thai Deva Beng Taml Telu Gujr Guru Knda Mlym Sinh Khmr Laoo Mymr Ethi'
    .split(' ')
    .map((code) => ({ pattern: new RegExp(`\\p{Script=${code}}`, 'u'), type: 'script', code }) as const),
] as const;

/**
 * Letters in another form, such as wide or bold ones, are written plainly; a flag as the letters of its country, another
 * emoji as a star, and words of another script as the name of that script: `[Korean]`.
 */
export function createSubstitutes(canDraw: CanDraw, locale: string): (text: string) => string {
  const substitutes = new Map<string, string>();
  const substituteFor = (grapheme: string) => {
    let substitute = substitutes.get(grapheme);
    if (substitute === undefined) {
      substitute = findSubstitute(grapheme, canDraw, locale);
      // Names repeat within a document; texts of any content must not fill the memory.
      if (substitutes.size < 10_000) substitutes.set(grapheme, substitute);
    }
    return substitute;
  };
  return (text) => {
    if (canDraw(text)) return text;
    let written = '';
    let last = '';
    for (const { segment } of graphemes.segment(text)) {
      const substitute = canDraw(segment) ? segment : substituteFor(segment);
      const isRepeated = substitute === last && substitute !== segment && isGeneral(substitute);
      if (!isRepeated) written += substitute;
      last = substitute;
    }
    return written;
  };
}

/** Several in sequence are written once. */
const isGeneral = (substitute: string) =>
  substitute === emojiSubstitute || substitute === unknownSubstitute || substitute.startsWith('[');

function findSubstitute(grapheme: string, canDraw: CanDraw, locale: string): string {
  const visible = Array.from(grapheme).filter(isVisible).join('');
  if (canDraw(visible)) return visible;
  if (/^\p{Regional_Indicator}+$/u.test(visible)) return lettersOfFlag(visible);
  // A key: the character, and the frame around it.
  if (visible.endsWith('\u20e3')) return visible.slice(0, -1);
  if (/\p{Extended_Pictographic}/u.test(visible)) return emojiSubstitute;
  const plain = visible.normalize('NFKC');
  if (canDraw(plain)) return plain;
  const base = visible.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  if (base !== '' && canDraw(base)) return base;
  return nameScript(visible, canDraw, locale);
}

/** The marks that set a direction are invisible too, but they are needed until the line has its order. */
function isVisible(character: string): boolean {
  return directionMark.test(character) || !/\p{Default_Ignorable_Code_Point}/u.test(character);
}

function lettersOfFlag(flag: string): string {
  return Array.from(flag, (each) =>
    String.fromCodePoint(each.codePointAt(0)! - firstRegionalIndicator + 'A'.codePointAt(0)!),
  ).join('');
}

function nameScript(text: string, canDraw: CanDraw, locale: string): string {
  const script = scripts.find(({ pattern }) => pattern.test(text));
  if (!script) return unknownSubstitute;
  const names = [locale, 'en'].map((each) => new Intl.DisplayNames([each], { type: script.type }).of(script.code));
  return `[${names.find((name) => name !== undefined && canDraw(name)) ?? unknownSubstitute}]`;
}
