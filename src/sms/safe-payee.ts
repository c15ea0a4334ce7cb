/**
 * The payee of a confirmation as a text may show it. An attacker can choose the payee, so nothing in it may be tapped,
 * called, taken for a code, or change the order of the text around it.
 */

/** Maximum length in the text, in UTF-16 code units. What the code is bound to is never cut. */
const longestPayee = 40;

/** A run of digits that could be called, or taken for a code. A short number such as that of a branch stays. */
const callableDigits = 5;

/** Characters that take no space, or that change the direction. */
const invisible = /[\p{Cf}\p{Cc}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

const dot = '[.\u3002\u00b7\u2022]';
const links = [
  /[a-z][a-z0-9+.-]*:\/\/\S*/giu,
  /\bwww\S*/giu,
  /\S+[@\uff20]\S+/gu,
  // A name with a dot inside, as phones underline it: labels, then one of letters, then a path.
  new RegExp(`[\\p{L}\\p{N}_-]+(?:\\s?${dot}\\s?[\\p{L}\\p{N}_-]+)*${dot}\\p{L}[\\p{L}\\p{M}-]+(?:[/:?#]\\S*)?`, 'gu'),
  // Schemes without slashes, such as tel: and sms:.
  /\b(?:tel|sms|smsto|mailto|intent|javascript|data|market|whatsapp|bitcoin):\S*/giu,
  // Addresses in digits.
  /\b\d{1,3}(?:\.\d{1,3}){3}\S*/gu,
];

const numberLike = /[+(]*\p{Nd}(?:[\s().,\-/\u2010-\u2015]*\p{Nd})*\)?/gu;

/** Scripts with letters that look alike. */
const lookalikeScripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** Empty if nothing of it can be shown. */
export function safePayee(payee: string): string {
  let text = payee
    .normalize('NFKC')
    .replaceAll(invisible, '')
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1');
  text = text.replaceAll(/\s+/gu, ' ').trim();
  for (const link of links) text = text.replaceAll(link, ' ');
  text = text.replaceAll(numberLike, (run) => (digitsIn(run) >= callableDigits ? ' ' : run));
  const words = text.split(/\s+/u).filter((word) => word !== '' && !mixesScripts(word));
  const shown = words.join(' ');
  if (shown.length <= longestPayee) return shown;
  // No character outside the basic plane is cut in two.
  const end = /[\ud800-\udbff]/.test(shown[longestPayee - 1]!) ? longestPayee - 1 : longestPayee;
  return shown.slice(0, end).trimEnd();
}

function digitsIn(run: string): number {
  return run.match(/\p{Nd}/gu)?.length ?? 0;
}

/** No honest word has letters of two scripts that look alike. */
function mixesScripts(word: string): boolean {
  return lookalikeScripts.filter((script) => script.test(word)).length > 1;
}
