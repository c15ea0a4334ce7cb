/** The texts of the sandbox page. A separate table, so that nothing else is loaded with it. */
import { sandbox as english, type SandboxTexts } from './en.ts';
import { textTable } from './text-table.ts';

export type { SandboxTexts } from './en.ts';

export const sandboxTexts = textTable<SandboxTexts>(english, {
  ar: async () => (await import('./ar.ts')).sandbox,
  de: async () => (await import('./de.ts')).sandbox,
  es: async () => (await import('./es.ts')).sandbox,
  fr: async () => (await import('./fr.ts')).sandbox,
  it: async () => (await import('./it.ts')).sandbox,
  ja: async () => (await import('./ja.ts')).sandbox,
  pt: async () => (await import('./pt.ts')).sandbox,
});
