/** What every part of the form needs. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PhoneFunctions } from '../../../client/phone.ts';
import type { Channel } from '../code/channels.ts';
import type { VerifyFormTexts } from '../../intl/languages/verify-texts.ts';

export interface Form {
  client: PhoneFunctions;
  baseUrl: string;
  /** The user whose number is verified; the host's back end may create the user only now. */
  getUserId(): Promise<number>;
  texts: VerifyFormTexts;
  locale: string;
  /** The country that is chosen at first. */
  country: string;
  /** The countries that can be chosen; undefined for all. */
  countries: string[] | undefined;
  correlationType: 0 | 1;
  /** Set if another number is verified in place of the one that the user has. */
  change: { confirmationId: string | undefined } | undefined;
  /** The channels by which a code may be sent again. */
  channels: Channel[];
  hidesTitle: boolean;
  /** Milliseconds since 1970; countdowns follow it. */
  now(): number;
  /** Dispatches an event on the element. */
  announce(event: string, detail: unknown): void;
}

export const FormContext = createContext<Form | undefined>(undefined);

export function useForm(): Form {
  return useContext(FormContext)!;
}
