/** The texts of the sandbox page in the language of the page. */
import { pageTexts } from '../intl/languages/page-texts.ts';
import { sandboxTexts } from '../intl/languages/sandbox-texts.ts';
import { pageLocale } from './page-locale.ts';

await Promise.all([pageTexts.load(pageLocale), sandboxTexts.load(pageLocale)]);

export const texts = sandboxTexts.of(pageLocale);
