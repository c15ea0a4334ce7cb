/** `<ledgerline-activity>`: the activity screen as an element for any page. */
import type { ComponentChild } from 'preact';
import { createCalls } from '../../../client/calls.ts';
import { transactionFunctions } from '../../../client/transactions.ts';
import { defineElement } from '../define-element.ts';
import { ActivityScreen } from './activity.tsx';
import css from './activity.css?inline';
import chartCss from './chart.css?inline';
import listCss from './list.css?inline';
import printCss from './print.css?inline';
import sheetsCss from './sheets.css?inline';
import markCss from '../../ui/state-mark.css?inline';
import segmentsCss from '../../ui/segments.css?inline';
import { dateFormats } from '../../intl/dates.ts';
import { usableTimeZone } from '../../intl/locale.ts';
import { activityTexts, type ActivityTexts } from '../../intl/languages/activity-texts.ts';
import { isUserId } from '../../data/user-id.ts';
import { ServiceElement } from '../service-element.ts';
import { attributes } from './description.ts';
import { State } from './states.tsx';
import { layouts, ViewerContext, type Viewer } from './viewer.ts';

const styles = markCss + segmentsCss + chartCss + listCss + sheetsCss + css + printCss;

/** What it offers to a page is in `description.ts`. */
export class LedgerlineActivity extends ServiceElement<ActivityTexts> {
  static observedAttributes = Object.keys(attributes);

  protected readonly rules = styles;
  protected readonly table = activityTexts;
  protected readonly mainField = 'input[type=search], button';

  /** A press beside the rows of a long list must not lead back to its top. */
  protected override get delegatesFocus(): boolean {
    return false;
  }

  protected failed(retry: () => void): ComponentChild {
    const { errorTitle, failed, retry: retryText } = this.texts;
    return (
      <div class="screen alone" {...this.languageAttributes}>
        <State icon="alert" title={errorTitle} about={failed}>
          <button type="button" class="primary" onClick={retry}>
            {retryText}
          </button>
        </State>
      </div>
    );
  }

  protected missingAttributes(): string[] {
    return this.getAttribute('individual') ? [] : ['individual'];
  }

  protected authorizedContent(): ComponentChild {
    const given = this.getAttribute('individual');
    if (!given) return null;
    const individualId = Number(given);
    if (!isUserId(individualId)) return this.#unknown();
    const viewer = this.#viewer(individualId);
    return (
      // For another viewer everything starts again.
      <ViewerContext.Provider value={viewer} key={`${individualId} ${viewer.timeZone}`}>
        <ActivityScreen scroller={this} />
      </ViewerContext.Provider>
    );
  }

  #unknown(): ComponentChild {
    const { unknownTitle, unknown } = this.texts;
    return (
      <div class="screen alone" {...this.languageAttributes}>
        <State icon="alert" title={unknownTitle} about={unknown} />
      </div>
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
      addressPrefix: this.hasAttribute('address-bar')
        ? `${this.getAttribute('address-bar') || 'activity'}-`
        : undefined,
      layout: layouts.find((layout) => layout === this.getAttribute('layout')) ?? 'full',
      hidesTitle: this.hasAttribute('hide-title'),
      remPixels,
      announce: (event, detail, cancelable) => this.announce(event, detail, cancelable),
    };
  }
}

defineElement('ledgerline-activity', LedgerlineActivity, attributes);
