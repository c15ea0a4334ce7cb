/** The types of the elements in JSX: their attributes and properties, and `on` before the name of an event. */
import type { HTMLAttributes } from 'preact';
import type { attributes as activity } from '../elements/activity/description.ts';
import type { LedgerlineActivity } from '../elements/activity/element.tsx';
import type { attributes as confirm } from '../elements/confirm/description.ts';
import type { LedgerlineConfirm } from '../elements/confirm/element.tsx';
import type { attributes as verify } from '../elements/verify/description.ts';
import type { LedgerlineVerify } from '../elements/verify/element.tsx';

type Tag<Element extends HTMLElement, Names> = Omit<HTMLAttributes<Element>, keyof Names> &
  Partial<Omit<Element, keyof HTMLElement>> &
  Partial<Record<keyof Names, string | number | boolean | undefined>> &
  Partial<Record<`onledgerline-${string}`, (event: never) => void>>;

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'ledgerline-activity': Tag<LedgerlineActivity, typeof activity>;
      'ledgerline-confirm': Tag<LedgerlineConfirm, typeof confirm>;
      'ledgerline-verify': Tag<LedgerlineVerify, typeof verify>;
    }
  }
}
