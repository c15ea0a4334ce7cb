/** The texts of the console, in the language of the reader. They are loaded before anything is drawn. */
import { console as english, type ConsoleTexts } from '../languages/console/en.ts';
import { loadConsoleTexts } from '../languages/console-texts.ts';

/** Read it when something is drawn, not when a module is loaded. */
export let t: ConsoleTexts = english;

export async function loadTexts(locale: string): Promise<void> {
  t = await loadConsoleTexts(locale);
}
