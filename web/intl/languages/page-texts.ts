/** The texts of the pages. A separate table, so that nothing else is loaded with it. */
import { page as english, type PageTexts } from './en.ts';
import { textTable } from './text-table.ts';

export type { PageTexts } from './en.ts';

export const pageTexts = textTable<PageTexts>(english, {
  ar: async () => (await import('./ar.ts')).page,
  de: async () => (await import('./de.ts')).page,
  es: async () => (await import('./es.ts')).page,
  fr: async () => (await import('./fr.ts')).page,
  it: async () => (await import('./it.ts')).page,
  ja: async () => (await import('./ja.ts')).page,
  pt: async () => (await import('./pt.ts')).page,
});
