/** The texts of the form that confirms a payment or another act. A separate table, so that nothing else is loaded with it. */
import * as en from './en.ts';
import { textTable } from './text-table.ts';

export type ConfirmFormTexts = en.CodeTexts & en.ConfirmTexts;

export const confirmTexts = textTable<ConfirmFormTexts>(
  { ...en.code, ...en.confirm },
  {
    async ar() {
      const { code, confirm } = await import('./ar.ts');
      return { ...code, ...confirm };
    },
    async de() {
      const { code, confirm } = await import('./de.ts');
      return { ...code, ...confirm };
    },
    async es() {
      const { code, confirm } = await import('./es.ts');
      return { ...code, ...confirm };
    },
    async fr() {
      const { code, confirm } = await import('./fr.ts');
      return { ...code, ...confirm };
    },
    async it() {
      const { code, confirm } = await import('./it.ts');
      return { ...code, ...confirm };
    },
    async ja() {
      const { code, confirm } = await import('./ja.ts');
      return { ...code, ...confirm };
    },
    async pt() {
      const { code, confirm } = await import('./pt.ts');
      return { ...code, ...confirm };
    },
  },
);
