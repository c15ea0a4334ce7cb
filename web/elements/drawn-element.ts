/**
 * The base of the elements for other people's pages: their own styles, texts, and drawing.
 */
import { render, type ComponentChild } from 'preact';
import { languageAttributes, usableLocale, type LanguageAttributes } from '../intl/locale.ts';
import type { TextTable } from '../intl/languages/text-table.ts';
import { keepFocus } from './keep-focus.ts';
import { remPixelsOf, styleSheetOf } from './shadow-styles.ts';

export abstract class DrawnElement<Texts extends object> extends HTMLElement {
  #ownTexts: Partial<Texts> = {};
  #isDrawing = false;
  #remPixels = 16;
  #releaseFocus: (() => void) | undefined;
  readonly #root = this.attachShadow({ mode: 'open' });

  // These names differ from those of attributes: some frameworks set a property instead of an attribute if there is
  // one.
  /** The element's own style rules. */
  protected abstract readonly rules: string;
  protected abstract readonly table: TextTable<Texts>;
  /** The content, or null as long as something is missing. */
  protected abstract content(): ComponentChild;

  /** The texts of the locale's language; texts that the host page has set replace them. */
  get texts(): Texts {
    return { ...this.table.of(this.usedLocale), ...this.#ownTexts };
  }

  set texts(texts: Partial<Texts>) {
    this.#ownTexts = texts;
    this.draw();
  }

  /** The locale that is used: the attribute's if the browser knows it. */
  protected get usedLocale(): string {
    return usableLocale(this.getAttribute('locale'), navigator.language);
  }

  /** For the box around the texts. The direction is that of the host page if the texts are not in the locale's language. */
  protected get languageAttributes(): LanguageAttributes {
    return this.table.has(this.usedLocale) ? languageAttributes(this.usedLocale) : { lang: 'en' };
  }

  /** The size of one rem in pixels, as the viewer chose it. */
  protected get remPixels(): number {
    return this.#remPixels;
  }

  protected announce(event: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true, composed: true }));
  }

  connectedCallback(): void {
    this.#remPixels = remPixelsOf(this.#root);
    this.#root.adoptedStyleSheets = [styleSheetOf(this.rules, this.#remPixels)];
    this.#releaseFocus = keepFocus(this.#root);
    this.draw();
  }

  disconnectedCallback(): void {
    this.#releaseFocus?.();
    render(null, this.#root);
  }

  attributeChangedCallback(_name: string): void {
    this.draw();
  }

  /** Several changes in a row are drawn once. What is drawn stays until the texts of another language are loaded. */
  protected draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    queueMicrotask(() => void this.#drawNow());
  }

  async #drawNow(): Promise<void> {
    while (!this.table.isReady(this.usedLocale)) await this.table.load(this.usedLocale);
    this.#isDrawing = false;
    if (this.isConnected) render(this.content(), this.#root);
  }
}
