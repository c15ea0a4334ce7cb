/** The texts of the form that confirms a payment or another act. A separate table, so that nothing else is loaded with it. */
import * as en from './en.ts';
import { textTable } from './text-table.ts';

export type ConfirmFormTexts = en.CodeTexts & en.ConfirmTexts;

export const confirmTexts = textTable<ConfirmFormTexts>(
  { ...en.code, ...en.confirm },
  {
    ar: () => import('./ar.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
    de: () => import('./de.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
    es: () => import('./es.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
    fr: () => import('./fr.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
    it: () => import('./it.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
    ja: () => import('./ja.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
    pt: () => import('./pt.ts').then(({ code, confirm }) => ({ ...code, ...confirm })),
  },
);
