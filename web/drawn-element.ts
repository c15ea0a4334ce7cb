/**
 * The base of the elements for other people's pages: their own styles, a token from the host page, texts, and drawing.
 */
import { render, type ComponentChild } from 'preact';
import type { TokenSource } from '../client/token.ts';
import { usableLocale } from './activity/locale.ts';
import { remPixelsOf, styleSheetOf } from './shadow-styles.ts';

export abstract class DrawnElement<Texts extends object> extends HTMLElement {
  #getToken: TokenSource | undefined;
  /** Calls the host page's current callback, so that a client can be kept when the page sets another one. */
  readonly #token: TokenSource = (refused) => this.#getToken?.(refused) ?? '';
  #kept: { client: unknown; key: string } | undefined;
  #ownTexts: Partial<Texts> = {};
  #isDrawing = false;
  #remPixels = 16;
  readonly #root = this.attachShadow({ mode: 'open' });

  // These names differ from those of attributes: some frameworks set a property instead of an attribute if there is
  // one.
  /** The element's own style rules. */
  protected abstract readonly rules: string;
  protected abstract textsOf(locale: string): Texts;
  /** The content, or null as long as an attribute is missing. */
  protected abstract content(): ComponentChild;

  get getToken(): TokenSource | undefined {
    return this.#getToken;
  }

  set getToken(getToken: TokenSource | undefined) {
    this.#getToken = getToken;
    this.draw();
  }

  /** The texts of the locale's language; texts that the host page has set replace them. */
  get texts(): Texts {
    return { ...this.textsOf(this.usedLocale), ...this.#ownTexts };
  }

  set texts(texts: Partial<Texts>) {
    this.#ownTexts = texts;
    this.draw();
  }

  /** The locale that is used: the attribute's if the browser knows it. */
  protected get usedLocale(): string {
    return usableLocale(this.getAttribute('locale'), navigator.language);
  }

  /** The address of the service; empty for the page's own origin. */
  protected get serviceUrl(): string {
    return this.getAttribute('base-url') ?? '';
  }

  /** The size of one rem in pixels, as the viewer chose it. */
  protected get remPixels(): number {
    return this.#remPixels;
  }

  /** The client of the last drawing, if the service and `settings` are still the same. */
  protected keepClient<Client>(settings: string, create: (token: TokenSource) => Client): Client {
    const key = `${this.serviceUrl} ${settings}`;
    if (this.#kept?.key !== key) this.#kept = { client: create(this.#token), key };
    return this.#kept.client as Client;
  }

  protected announce(event: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true, composed: true }));
  }

  connectedCallback(): void {
    this.#remPixels = remPixelsOf(this.#root);
    this.#root.adoptedStyleSheets = [styleSheetOf(this.rules, this.#remPixels)];
    this.draw();
  }

  disconnectedCallback(): void {
    render(null, this.#root);
  }

  attributeChangedCallback(): void {
    this.draw();
  }

  /** Several changes in a row are drawn once. */
  protected draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    queueMicrotask(() => {
      this.#isDrawing = false;
      if (this.isConnected) render(this.#getToken ? this.content() : null, this.#root);
    });
  }
}
