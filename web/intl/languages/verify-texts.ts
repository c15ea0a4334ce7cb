/** The texts of the form that verifies a phone number. A separate table, so that nothing else is loaded with it. */
import * as en from './en.ts';
import { textTable } from './text-table.ts';

export type VerifyFormTexts = en.CodeTexts & en.VerifyTexts;

export const verifyTexts = textTable<VerifyFormTexts>(
  { ...en.code, ...en.verify },
  {
    ar: () => import('./ar.ts').then(({ code, verify }) => ({ ...code, ...verify })),
    de: () => import('./de.ts').then(({ code, verify }) => ({ ...code, ...verify })),
    es: () => import('./es.ts').then(({ code, verify }) => ({ ...code, ...verify })),
    fr: () => import('./fr.ts').then(({ code, verify }) => ({ ...code, ...verify })),
    it: () => import('./it.ts').then(({ code, verify }) => ({ ...code, ...verify })),
    ja: () => import('./ja.ts').then(({ code, verify }) => ({ ...code, ...verify })),
    pt: () => import('./pt.ts').then(({ code, verify }) => ({ ...code, ...verify })),
  },
);
