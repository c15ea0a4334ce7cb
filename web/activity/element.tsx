/** `<ledgerline-activity>`: the activity screen as an element that any page can hold. */
import { render } from 'preact';
import { createCalls } from '../../client/calls.ts';
import type { TokenSource } from '../../client/index.ts';
import { transactionFunctions } from '../../client/transactions.ts';
import { ActivityScreen } from './activity.tsx';
import css from './activity.css?inline';
import theme from '../theme.css?inline';
import { dateFormats } from './dates.ts';
import { englishTexts, type Texts } from './texts.ts';
import { ViewerContext, type Viewer } from './viewer.ts';

const sheet = new CSSStyleSheet();
sheet.replaceSync(theme.replaceAll(':root', ':host') + css);

/**
 * Attributes: `individual` (whose activity), `base-url` (where the service is, if not here), `locale`, `time-zone`
 * (the viewer's own if not given), `address-bar` (filters stand in the page's address).
 * Properties: `getToken`, called for a token and again with true when one was refused; `texts`, other words.
 * Event: `ledgerline-session-expired`, when no good token could be had.
 */
export class LedgerlineActivity extends HTMLElement {
  static observedAttributes = ['individual', 'base-url', 'locale', 'time-zone', 'address-bar'];

  #getToken: TokenSource | undefined;
  #texts: Texts = englishTexts;
  #drawing = false;
  readonly #root = this.attachShadow({ mode: 'open' });

  get getToken(): TokenSource | undefined {
    return this.#getToken;
  }

  set getToken(getToken: TokenSource | undefined) {
    this.#getToken = getToken;
    this.#draw();
  }

  get texts(): Texts {
    return this.#texts;
  }

  set texts(texts: Partial<Texts>) {
    this.#texts = { ...englishTexts, ...texts };
    this.#draw();
  }

  connectedCallback(): void {
    this.#root.adoptedStyleSheets = [sheet];
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
    if (this.#drawing) return;
    this.#drawing = true;
    queueMicrotask(() => {
      this.#drawing = false;
      const individualId = Number(this.getAttribute('individual'));
      if (!this.isConnected || !this.#getToken || !individualId) return;
      const viewer = this.#viewer(individualId, this.#getToken);
      render(
        // Another viewer starts anew.
        <ViewerContext.Provider value={viewer} key={`${individualId} ${viewer.timeZone}`}>
          <ActivityScreen scroller={this} />
        </ViewerContext.Provider>,
        this.#root,
      );
    });
  }

  #viewer(individualId: number, token: TokenSource): Viewer {
    const locale = this.getAttribute('locale') || navigator.language;
    const timeZone = this.getAttribute('time-zone') || Intl.DateTimeFormat().resolvedOptions().timeZone;
    return {
      client: transactionFunctions(createCalls({ baseUrl: this.getAttribute('base-url') ?? '', token, retries: 2 })),
      individualId,
      locale,
      timeZone,
      texts: this.#texts,
      dates: dateFormats(locale, timeZone),
      inAddressBar: this.hasAttribute('address-bar'),
      announce: (event, detail) =>
        this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true, composed: true })),
    };
  }
}

if (!customElements.get('ledgerline-activity')) customElements.define('ledgerline-activity', LedgerlineActivity);
