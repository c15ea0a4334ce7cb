/**
 * The base of the elements for other people's pages: their own styles, texts, and drawing.
 */
import { h, render, type ComponentChild } from 'preact';
import { languageAttributes, usableLocale, type LanguageAttributes } from '../intl/locale.ts';
import type { TextTable } from '../intl/languages/text-table.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { ElementBase, takeEarlyProperties } from './define-element.ts';
import { keepFocus } from './keep-focus.ts';
import { mergeTexts, type OwnTexts } from './merge-texts.ts';
import { remPixelsOf, styleSheetOf } from './shadow-styles.ts';

/** After this time without it, the log says what the page has not given to the element. */
const warningMilliseconds = 3000;

export abstract class DrawnElement<Texts extends object> extends ElementBase {
  #ownTexts: OwnTexts<Texts> = {};
  #isDrawing = false;
  #remPixels = 16;
  #releaseFocus: (() => void) | undefined;
  #warning: ReturnType<typeof setTimeout> | undefined;
  readonly #root = this.attachShadow({ mode: 'open', delegatesFocus: this.delegatesFocus });

  // These names differ from those of attributes: some frameworks set a property instead of an attribute if there is
  // one.
  /** The element's own style rules. */
  protected abstract readonly rules: string;
  protected abstract readonly table: TextTable<Texts>;
  /** The content, or null as long as something is missing. */
  protected abstract content(): ComponentChild;
  /** Instead of the content, if it could not be drawn. `retry` draws it again. */
  protected abstract failed(retry: () => void): ComponentChild;
  /** What the page must give to the element and has not, such as `getToken`. */
  protected abstract missing(): string[];
  /** What gets the focus when the element does, as a selector. */
  protected abstract readonly mainField: string;

  /** Whether a press beside the controls gives one of them the focus: right for a form, wrong for a long list. */
  protected get delegatesFocus(): boolean {
    return true;
  }

  /** The texts of the locale's language; texts that the host page has set replace them. */
  get texts(): Texts {
    return mergeTexts(this.table.of(this.usedLocale), this.#ownTexts);
  }

  set texts(texts: OwnTexts<Texts> | undefined) {
    this.#ownTexts = texts ?? {};
    this.draw();
  }

  override focus(options?: FocusOptions): void {
    const field = this.#root.querySelector<HTMLElement>(this.mainField);
    if (field) field.focus(options);
    else super.focus(options);
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

  /** Dispatches an event. False if the page has prevented what follows it. */
  protected announce(event: string, detail?: unknown, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true, composed: true, cancelable }));
  }

  connectedCallback(): void {
    takeEarlyProperties(this);
    this.#remPixels = remPixelsOf(this.#root);
    this.#root.adoptedStyleSheets = [styleSheetOf(this.rules, this.#remPixels)];
    this.#releaseFocus = keepFocus(this.#root);
    this.#warning = setTimeout(() => this.#warn(), warningMilliseconds);
    this.draw();
  }

  disconnectedCallback(): void {
    this.#releaseFocus?.();
    clearTimeout(this.#warning);
    render(null, this.#root);
  }

  attributeChangedCallback(_name: string): void {
    this.draw();
  }

  #warn(): void {
    const missing = this.missing();
    if (missing.length === 0) return;
    console.warn(`<${this.localName}> shows nothing until the page has set: ${missing.join(', ')}.`, this);
  }

  /** Several changes in a row are drawn once. What is drawn stays until the texts of another language are loaded. */
  protected draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    queueMicrotask(() => void this.#drawNow());
  }

  /** An error that is thrown while it is drawn is reported to the page, and the element says so. */
  #guardedContent(): ComponentChild {
    const fallback = (retry: () => void) => this.failed(retry);
    return h(ErrorBoundary, { fallback, children: this.content() });
  }

  async #drawNow(): Promise<void> {
    while (!this.table.isReady(this.usedLocale)) await this.table.load(this.usedLocale);
    this.#isDrawing = false;
    if (this.isConnected) render(this.#guardedContent(), this.#root);
  }
}
