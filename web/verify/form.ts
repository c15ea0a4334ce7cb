/** What every part of the form needs. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { PhoneFunctions } from '../../client/phone.ts';
import type { VerifyTexts } from '../languages/verify-texts.ts';

export interface Form {
  client: PhoneFunctions;
  baseUrl: string;
  /** The user whose number is verified; the host's back end may create the user only now. */
  getUserId(): Promise<number>;
  texts: VerifyTexts;
  locale: string;
  /** The country that is chosen at first. */
  country: string;
  /** The countries that can be chosen; undefined for all. */
  countries: string[] | undefined;
  correlationType: 0 | 1;
  /** Set if another number is verified in place of the one that the user has. */
  change: { confirmationId: string | undefined } | undefined;
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

const tickMilliseconds = 250;

/** The time in whole seconds. During a countdown the form is drawn again every second. */
export function useNow(isCounting: boolean): number {
  const { now } = useForm();
  const read = () => Math.floor(now() / 1000) * 1000;
  const [time, setTime] = useState(read);
  useEffect(() => {
    setTime(read());
    if (!isCounting) return;
    const timer = setInterval(() => setTime(read()), tickMilliseconds);
    return () => clearInterval(timer);
  }, [isCounting]);
  return isCounting ? time : read();
}
