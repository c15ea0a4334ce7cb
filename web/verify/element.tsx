/** `<ledgerline-verify>`: a form that verifies a phone number, for any page. */
import { render } from 'preact';
import { createCalls } from '../../client/calls.ts';
import { phoneFunctions } from '../../client/phone.ts';
import type { TokenSource } from '../../client/token.ts';
import { languageAttributes, usableLocale } from '../activity/locale.ts';
import { homeCountry, isCountry } from '../phone/countries.ts';
import { remPixelsOf, styleSheetOf } from '../shadow-styles.ts';
import { FormContext, type Form } from './form.ts';
import { verifyTextsOf, type VerifyTexts } from '../languages/verify-texts.ts';
import css from './verify.css?inline';
import { Verify, type VerifyHandle } from './verify.tsx';

/**
 * Attributes: `user` (whose number is verified), `base-url` (the address of the service, if not this origin),
 * `country` (chosen at first), `countries` (those that can be chosen, separated by commas), `locale`,
 * `correlation-type` (1 for merchants), `resend-seconds` (the pause between two codes), `hide-title`, `autofocus`.
 * Properties: `getToken`, called for a token, and again with true when one was refused; `getUserId`, instead of
 * `user`; `texts`, other texts; `fetch` and `now`, to replace the browser's.
 * Methods: `enterNumber(text)`, for a number that is known; `enterCode(code)`, for an app that reads the code itself;
 * `reset()`, to start over.
 * Events: `sent`, `verified`, `failed`, `step`.
 */
export class LedgerlineVerify extends HTMLElement {
  static observedAttributes = [
    'user',
    'base-url',
    'country',
    'countries',
    'locale',
    'correlation-type',
    'resend-seconds',
    'hide-title',
  ];

  #getToken: TokenSource | undefined;
  #getUserId: (() => number | Promise<number>) | undefined;
  #ownTexts: Partial<VerifyTexts> = {};
  #isDrawing = false;
  readonly #handle: { current: VerifyHandle | null } = { current: null };
  readonly #root = this.attachShadow({ mode: 'open' });

  fetch: typeof fetch = (input, init) => fetch(input, init);
  now: () => number = Date.now;

  get getToken(): TokenSource | undefined {
    return this.#getToken;
  }

  set getToken(getToken: TokenSource | undefined) {
    this.#getToken = getToken;
    this.#draw();
  }

  get getUserId(): (() => number | Promise<number>) | undefined {
    return this.#getUserId;
  }

  set getUserId(getUserId: (() => number | Promise<number>) | undefined) {
    this.#getUserId = getUserId;
    this.#draw();
  }

  /** Those of the locale's language, with the host page's own instead where it gave some. */
  get texts(): VerifyTexts {
    return { ...verifyTextsOf(this.#locale), ...this.#ownTexts };
  }

  set texts(texts: Partial<VerifyTexts>) {
    this.#ownTexts = texts;
    this.#draw();
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

  get #locale(): string {
    return usableLocale(this.getAttribute('locale'), navigator.language);
  }

  connectedCallback(): void {
    this.#root.adoptedStyleSheets = [styleSheetOf(css, remPixelsOf(this.#root))];
    this.#draw();
  }

  disconnectedCallback(): void {
    render(null, this.#root);
  }

  attributeChangedCallback(): void {
    this.#draw();
  }

  /** Several changes in a row are drawn once. */
  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    queueMicrotask(() => {
      this.#isDrawing = false;
      const hasUser = this.#getUserId !== undefined || Number(this.getAttribute('user')) > 0;
      if (!this.isConnected || !this.#getToken || !hasUser) return;
      const form = this.#form(this.#getToken);
      render(
        // For another user everything starts again.
        <FormContext.Provider value={form} key={this.getAttribute('user') ?? ''}>
          <div class="language" {...languageAttributes(form.locale)}>
            <Verify handle={this.#handle} isAutofocused={this.hasAttribute('autofocus')} />
          </div>
        </FormContext.Provider>,
        this.#root,
      );
    });
  }

  #form(token: TokenSource): Form {
    const baseUrl = this.getAttribute('base-url') ?? '';
    const now = () => this.now();
    const calls = createCalls({ baseUrl, token, retries: 1, fetch: (input, init) => this.fetch(input, init) });
    const resendSeconds = Number(this.getAttribute('resend-seconds') ?? 30);
    const countries = this.getAttribute('countries')
      ?.toUpperCase()
      .split(/[\s,]+/)
      .filter(isCountry);
    return {
      client: phoneFunctions(calls, { resendSeconds, now }),
      baseUrl,
      getUserId: async () => (this.#getUserId ? this.#getUserId() : Number(this.getAttribute('user'))),
      texts: this.texts,
      locale: this.#locale,
      country: this.#firstCountry(countries),
      countries: countries?.length ? countries : undefined,
      correlationType: this.getAttribute('correlation-type') === '1' ? 1 : 0,
      hidesTitle: this.hasAttribute('hide-title'),
      now,
      announce: (event, detail) =>
        this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true, composed: true })),
    };
  }

  #firstCountry(countries: string[] | undefined): string {
    const named = this.getAttribute('country')?.toUpperCase() ?? '';
    const wanted = isCountry(named) ? named : (homeCountry(navigator.languages) ?? 'GB');
    return countries?.length && !countries.includes(wanted) ? countries[0]! : wanted;
  }
}

if (!customElements.get('ledgerline-verify')) customElements.define('ledgerline-verify', LedgerlineVerify);
