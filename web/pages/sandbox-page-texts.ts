/** The texts of the sandbox page in the language of the page. */
import { sandboxTextsOf } from '../intl/languages/sandbox-texts.ts';
import { pageLocale } from './page-locale.ts';

export const texts = sandboxTextsOf(pageLocale);
