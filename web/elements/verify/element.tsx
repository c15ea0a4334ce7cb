/** `<ledgerline-verify>`: a form that verifies a phone number, for any page. */
import type { ComponentChild } from 'preact';
import { createCalls } from '../../../client/calls.ts';
import { phoneFunctions, type PhoneFunctions } from '../../../client/phone.ts';
import { Steady } from '../code/steady.tsx';
import { FailedForm } from '../code/failed-form.tsx';
import { channelsOf } from '../code/channels.ts';
import codeCss from '../code/code.css?inline';
import { homeCountry, isCountry } from '../../intl/countries.ts';
import { attributes } from './description.ts';
import { FormContext, type Form } from './form.ts';
import { verifyTexts, type VerifyFormTexts } from '../../intl/languages/verify-texts.ts';
import { defineElement } from '../define-element.ts';
import { ServiceElement } from '../service-element.ts';
import css from './verify.css?inline';
import { Verify, type VerifyHandle } from './verify.tsx';

/** What it offers to a page is in `description.ts`. */
export class LedgerlineVerify extends ServiceElement<VerifyFormTexts> {
  static observedAttributes = Object.keys(attributes);

  #getUserId: (() => number | Promise<number>) | undefined;
  readonly #handle: { current: VerifyHandle | null } = { current: null };

  protected readonly rules = codeCss + css;
  protected readonly table = verifyTexts;
  protected readonly mainField = 'input';
  #fetch: typeof fetch = (input, init) => fetch(input, init);
  #now: () => number = Date.now;

  get fetch(): typeof fetch {
    return this.#fetch;
  }

  set fetch(replacement: typeof fetch | undefined) {
    this.#fetch = replacement ?? ((input, init) => fetch(input, init));
  }

  get now(): () => number {
    return this.#now;
  }

  set now(clock: (() => number) | undefined) {
    this.#now = clock ?? Date.now;
  }

  get getUserId(): (() => number | Promise<number>) | undefined {
    return this.#getUserId;
  }

  set getUserId(getUserId: (() => number | Promise<number>) | undefined) {
    this.#getUserId = getUserId;
    this.draw();
  }

  enterCode(code: string): void {
    this.#handle.current?.enterCode(code);
  }

  enterNumber(text: string): void {
    this.#handle.current?.enterNumber(text);
  }

  /** The country that is chosen now. */
  get chosenCountry(): string | undefined {
    return this.#handle.current?.country;
  }

  reset(): void {
    this.#handle.current?.reset();
  }

  protected failed(retry: () => void): ComponentChild {
    return <FailedForm texts={this.texts} language={this.languageAttributes} onRetry={retry} />;
  }

  protected missingAttributes(): string[] {
    const hasUser = this.#getUserId !== undefined || Number(this.getAttribute('user')) > 0;
    return hasUser ? [] : ['user'];
  }

  protected authorizedContent(): ComponentChild {
    if (this.missingAttributes().length > 0) return null;
    const form = this.#form();
    return (
      // For another user, or for a change, everything starts again.
      <FormContext.Provider value={form} key={`${this.getAttribute('user') ?? ''} ${this.getAttribute('mode') ?? ''}`}>
        <Steady language={this.languageAttributes}>
          <Verify handle={this.#handle} isAutofocused={this.hasAttribute('autofocus')} />
        </Steady>
      </FormContext.Provider>
    );
  }

  /** Kept, since it knows when the last code was sent. */
  #client(): PhoneFunctions {
    const { serviceUrl: baseUrl } = this;
    const resendSeconds = Number(this.getAttribute('resend-seconds') ?? 30);
    return this.keepClient(String(resendSeconds), (token) => {
      const calls = createCalls({ baseUrl, token, retries: 1, fetch: (input, init) => this.#fetch(input, init) });
      return phoneFunctions(calls, { resendSeconds, now: () => this.#now() });
    });
  }

  #form(): Form {
    const { serviceUrl: baseUrl, usedLocale: locale, texts } = this;
    const countries = this.getAttribute('countries')
      ?.toUpperCase()
      .split(/[\s,]+/)
      .filter(isCountry);
    return {
      client: this.#client(),
      baseUrl,
      getUserId: async () => (this.#getUserId ? this.#getUserId() : Number(this.getAttribute('user'))),
      texts,
      locale,
      country: this.#firstCountry(countries),
      countries: countries?.length ? countries : undefined,
      correlationType: this.getAttribute('correlation-type') === '1' ? 1 : 0,
      change:
        this.getAttribute('mode') === 'change'
          ? { confirmationId: this.getAttribute('confirmation-id') ?? undefined }
          : undefined,
      channels: channelsOf(this.getAttribute('channels')),
      hidesTitle: this.hasAttribute('hide-title'),
      now: () => this.#now(),
      announce: (event, detail) => void this.announce(event, detail),
    };
  }

  #firstCountry(countries: string[] | undefined): string {
    const named = this.getAttribute('country')?.toUpperCase() ?? '';
    const wanted = isCountry(named) ? named : (homeCountry(navigator.languages) ?? 'GB');
    return countries?.length && !countries.includes(wanted) ? countries[0]! : wanted;
  }
}

defineElement('ledgerline-verify', LedgerlineVerify, attributes);
