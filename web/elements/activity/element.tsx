/** `<ledgerline-activity>`: the activity screen as an element for any page. */
import type { ComponentChild } from 'preact';
import { createCalls } from '../../../client/calls.ts';
import { transactionFunctions } from '../../../client/transactions.ts';
import { ActivityScreen } from './activity.tsx';
import css from './activity.css?inline';
import chartCss from './chart.css?inline';
import listCss from './list.css?inline';
import printCss from './print.css?inline';
import sheetsCss from './sheets.css?inline';
import { dateFormats } from '../../intl/dates.ts';
import { usableTimeZone } from '../../intl/locale.ts';
import { activityTexts, type ActivityTexts } from '../../intl/languages/activity-texts.ts';
import { ServiceElement } from '../service-element.ts';
import { ViewerContext, type Viewer } from './viewer.ts';

const styles = chartCss + listCss + sheetsCss + css + printCss;

/**
 * Attributes: `individual` (whose activity), `base-url` (the address of the service, if not this origin), `locale`,
 * `time-zone` (both the viewer's own if not given), `address-bar` (the filter is kept in the page's address),
 * `hide-title` (the host page has its own title).
 * Properties: `getToken`, called for a token, and again with true when one was refused; `texts`, other texts.
 * Event: `ledgerline-session-expired`, when there is no valid token.
 */
export class LedgerlineActivity extends ServiceElement<ActivityTexts> {
  static observedAttributes = ['individual', 'base-url', 'locale', 'time-zone', 'address-bar', 'hide-title'];

  protected readonly rules = styles;
  protected readonly table = activityTexts;

  protected authorizedContent(): ComponentChild {
    const individualId = Number(this.getAttribute('individual'));
    if (!individualId) return null;
    const viewer = this.#viewer(individualId);
    return (
      // For another viewer everything starts again.
      <ViewerContext.Provider value={viewer} key={`${individualId} ${viewer.timeZone}`}>
        <ActivityScreen scroller={this} />
      </ViewerContext.Provider>
    );
  }

  #viewer(individualId: number): Viewer {
    const { usedLocale: locale, serviceUrl: baseUrl, remPixels } = this;
    const timeZone = usableTimeZone(this.getAttribute('time-zone'));
    return {
      // Kept, since the screen loads everything again for another client.
      client: this.keepClient('', (token) => transactionFunctions(createCalls({ baseUrl, token, retries: 2 }))),
      getToken: this.getToken,
      baseUrl,
      individualId,
      locale,
      timeZone,
      texts: this.texts,
      dates: dateFormats(locale, timeZone),
      languageAttributes: this.languageAttributes,
      inAddressBar: this.hasAttribute('address-bar'),
      hidesTitle: this.hasAttribute('hide-title'),
      remPixels,
      announce: (event, detail) => this.announce(event, detail),
    };
  }
}

if (!customElements.get('ledgerline-activity')) customElements.define('ledgerline-activity', LedgerlineActivity);
