/** `<ledgerline-activity>`: the activity screen as an element that any page can hold. */
import { render } from 'preact';
import { createCalls } from '../../client/calls.ts';
import type { TokenSource } from '../../client/index.ts';
import { transactionFunctions } from '../../client/transactions.ts';
import { remPixelsOf, styleSheetOf } from '../shadow-styles.ts';
import { ActivityScreen } from './activity.tsx';
import css from './activity.css?inline';
import chartCss from './chart.css?inline';
import listCss from './list.css?inline';
import sheetsCss from './sheets.css?inline';
import { dateFormats } from './dates.ts';
import { usableLocale, usableTimeZone } from './locale.ts';
import { activityTextsOf, type ActivityTexts } from '../languages/activity-texts.ts';
import { ViewerContext, type Viewer } from './viewer.ts';

const styles = chartCss + listCss + sheetsCss + css;

/**
 * Attributes: `individual` (whose activity), `base-url` (the address of the service, if not this origin), `locale`,
 * `time-zone` (both the viewer's own if not given), `address-bar` (the filter is kept in the page's address),
 * `hide-title` (the host page has a title of its own).
 * Properties: `getToken`, called for a token, and again with true when one was refused; `texts`, other texts.
 * Event: `ledgerline-session-expired`, when no good token could be had.
 */
export class LedgerlineActivity extends HTMLElement {
  static observedAttributes = ['individual', 'base-url', 'locale', 'time-zone', 'address-bar', 'hide-title'];

  #getToken: TokenSource | undefined;
  #ownTexts: Partial<ActivityTexts> = {};
  #isDrawing = false;
  #remPixels = 16;
  readonly #root = this.attachShadow({ mode: 'open' });

  get getToken(): TokenSource | undefined {
    return this.#getToken;
  }

  set getToken(getToken: TokenSource | undefined) {
    this.#getToken = getToken;
    this.#draw();
  }

  /** Those of the locale's language, with the host page's own instead where it gave some. */
  get texts(): ActivityTexts {
    return { ...activityTextsOf(this.#locale), ...this.#ownTexts };
  }

  set texts(texts: Partial<ActivityTexts>) {
    this.#ownTexts = texts;
    this.#draw();
  }

  get #locale(): string {
    return usableLocale(this.getAttribute('locale'), navigator.language);
  }

  connectedCallback(): void {
    this.#remPixels = remPixelsOf(this.#root);
    this.#root.adoptedStyleSheets = [styleSheetOf(styles, this.#remPixels)];
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
      const individualId = Number(this.getAttribute('individual'));
      if (!this.isConnected || !this.#getToken || !individualId) return;
      const viewer = this.#viewer(individualId, this.#getToken);
      render(
        // For another viewer everything starts again.
        <ViewerContext.Provider value={viewer} key={`${individualId} ${viewer.timeZone}`}>
          <ActivityScreen scroller={this} />
        </ViewerContext.Provider>,
        this.#root,
      );
    });
  }

  #viewer(individualId: number, token: TokenSource): Viewer {
    const locale = this.#locale;
    const timeZone = usableTimeZone(this.getAttribute('time-zone'));
    const baseUrl = this.getAttribute('base-url') ?? '';
    return {
      client: transactionFunctions(createCalls({ baseUrl, token, retries: 2 })),
      baseUrl,
      individualId,
      locale,
      timeZone,
      texts: this.texts,
      dates: dateFormats(locale, timeZone),
      inAddressBar: this.hasAttribute('address-bar'),
      hidesTitle: this.hasAttribute('hide-title'),
      remPixels: this.#remPixels,
      announce: (event, detail) =>
        this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true, composed: true })),
    };
  }
}

if (!customElements.get('ledgerline-activity')) customElements.define('ledgerline-activity', LedgerlineActivity);
