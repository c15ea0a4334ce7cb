/** The texts of the activity screen. A separate table, so that nothing else is loaded with it. */
import { activity as english, type ActivityTexts } from './en.ts';
import { textTable } from './text-table.ts';

export type { ActivityTexts } from './en.ts';

export const activityTexts = textTable<ActivityTexts>(english, {
  ar: async () => (await import('./ar.ts')).activity,
  de: async () => (await import('./de.ts')).activity,
  es: async () => (await import('./es.ts')).activity,
  fr: async () => (await import('./fr.ts')).activity,
  it: async () => (await import('./it.ts')).activity,
  ja: async () => (await import('./ja.ts')).activity,
  pt: async () => (await import('./pt.ts')).activity,
});
