/** The texts of the form that verifies a phone number. A separate table, so that nothing else is loaded with it. */
import * as en from './en.ts';
import { textTable } from './text-table.ts';

export type VerifyFormTexts = en.CodeTexts & en.VerifyTexts;

export const verifyTexts = textTable<VerifyFormTexts>(
  { ...en.code, ...en.verify },
  {
    async ar() {
      const { code, verify } = await import('./ar.ts');
      return { ...code, ...verify };
    },
    async de() {
      const { code, verify } = await import('./de.ts');
      return { ...code, ...verify };
    },
    async es() {
      const { code, verify } = await import('./es.ts');
      return { ...code, ...verify };
    },
    async fr() {
      const { code, verify } = await import('./fr.ts');
      return { ...code, ...verify };
    },
    async it() {
      const { code, verify } = await import('./it.ts');
      return { ...code, ...verify };
    },
    async ja() {
      const { code, verify } = await import('./ja.ts');
      return { ...code, ...verify };
    },
    async pt() {
      const { code, verify } = await import('./pt.ts');
      return { ...code, ...verify };
    },
  },
);
