/** The first step: a country and a number. */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countriesIn } from '../../intl/countries.ts';
import { loadNumberRules, type NumberRules } from '../../intl/load-number-rules.ts';
import { isE164 } from '../../../client/phone.ts';
import { westernDigits } from '../../intl/western-digits.ts';
import { Complaint } from '../code/complaint.tsx';
import { useNow } from '../../ui/use-now.ts';
import { CountryPicker } from './country-picker.tsx';
import { verifySentence, type VerifyFailure } from './failures.ts';
import { useForm } from './form.ts';

export interface EnteredNumber {
  /** The country that was chosen. */
  country: string;
  typed: string;
  /** E.164. */
  phoneNumber: string;
  /** In the usual spelling. */
  display: string;
}

interface NumberStepProps {
  entered: Pick<EnteredNumber, 'country' | 'typed'>;
  failure: VerifyFailure | undefined;
  isBusy: boolean;
  /** Whether the field gets the focus immediately. */
  takesFocus: boolean;
  onChange(entered: Pick<EnteredNumber, 'country' | 'typed'>): void;
  onSend(entered: EnteredNumber): void;
}

export function NumberStep({ entered, failure, isBusy, takesFocus, onChange, onSend }: NumberStepProps) {
  const form = useForm();
  const { texts, locale, countries: allowed, hidesTitle, change } = form;
  const id = useId();
  const countries = useMemo(
    () => countriesIn(locale).filter(({ code }) => !allowed || allowed.includes(code)),
    [locale, allowed],
  );
  const country = countries.find(({ code }) => code === entered.country) ?? countries[0]!;
  const rules = useNumberRules();
  const input = useRef<HTMLInputElement>(null);
  const isSubmitting = useRef(false);
  const [isInvalid, setInvalid] = useState(false);
  const now = useNow(form.now, failure?.endsAt !== undefined);
  const isWaiting = failure?.endsAt !== undefined && failure.endsAt > now;
  const shownFailure = failure && (!failure.endsAt || isWaiting) ? failure : undefined;
  const sentenceAt = (time: number) =>
    isInvalid ? texts.invalidNumber : shownFailure && verifySentence(shownFailure, texts, time);
  const complaint = sentenceAt(now);

  useLayoutEffect(() => {
    if (takesFocus || failure) input.current!.focus({ preventScroll: true });
  }, [failure]);

  function type(text: string, isAtEnd: boolean): void {
    // Text that is typed in the middle is not formatted, so that the caret does not jump.
    const isLonger = text.length > entered.typed.length;
    const formatted = rules && isAtEnd && isLonger ? rules.formatAsTyped(text, country.code) : undefined;
    const found = rules?.formatAsTyped(text, country.code).country;
    const isKnown = countries.some(({ code }) => code === found);
    setInvalid(false);
    onChange({ typed: formatted?.text ?? text, country: found && isKnown ? found : country.code });
  }

  /** A second press while the rules are loading does nothing. */
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isSubmitting.current) return;
    isSubmitting.current = true;
    try {
      await checkAndSend();
    } finally {
      isSubmitting.current = false;
    }
  }

  async function checkAndSend(): Promise<void> {
    // Without the rules only the format of the number is checked; the service decides.
    const loaded = rules ?? (await loadNumberRules().catch(() => undefined));
    const known = loaded?.parseNumber(entered.typed, country.code);
    const phoneNumber = known?.phoneNumber ?? plainNumber(entered.typed, country.callingCode);
    const isValid = (loaded === undefined || known !== undefined) && isE164(phoneNumber);
    setInvalid(!isValid);
    if (!isValid) return input.current?.focus();
    onSend({ ...entered, country: country.code, phoneNumber, display: known?.display ?? phoneNumber });
  }

  return (
    <form onSubmit={submit} noValidate part="form">
      {!hidesTitle && <h2 part="title">{change ? texts.newNumberTitle : texts.numberTitle}</h2>}
      <p class="soft" part="text">
        {texts.numberAbout}
      </p>
      <label for={`${id}number`}>{texts.number}</label>
      <div class="number">
        <CountryPicker
          countries={countries}
          country={country}
          onChoose={(code) => onChange({ typed: entered.typed.startsWith('+') ? '' : entered.typed, country: code })}
        />
        <input
          ref={input}
          id={`${id}number`}
          part="number"
          type="tel"
          autoComplete="tel"
          value={entered.typed}
          placeholder={rules?.exampleOf(country.code)}
          aria-invalid={isInvalid || failure !== undefined}
          aria-describedby={complaint ? `${id}complaint` : undefined}
          onInput={({ currentTarget: { value, selectionStart } }) => type(value, selectionStart === value.length)}
        />
      </div>
      {complaint && <Complaint id={`${id}complaint`} text={complaint} spoken={sentenceAt(failure?.at ?? now)!} />}
      <div class="buttons">
        <button type="submit" class="primary" part="button" disabled={isBusy || isWaiting}>
          {isBusy ? texts.sending : texts.send}
        </button>
      </div>
    </form>
  );
}

/** The rules of numbers, once they are loaded. */
function useNumberRules(): NumberRules | undefined {
  const [rules, setRules] = useState<NumberRules>();
  useEffect(() => {
    let isWanted = true;
    // Without them numbers are not formatted; they are requested again when the number is sent.
    loadNumberRules().then(
      (loaded) => isWanted && setRules(() => loaded),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return rules;
}

function plainNumber(typed: string, callingCode: string): string {
  const digits = westernDigits(typed)
    .replace(/[^\d+]/g, '')
    .replace(/^00/, '+');
  return digits.startsWith('+') ? digits : `+${callingCode}${digits.replace(/^0/, '')}`;
}
