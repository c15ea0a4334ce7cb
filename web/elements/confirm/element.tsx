/** `<ledgerline-confirm>`: a form for the code of one payment or other act, for any page. */
import type { ComponentChild } from 'preact';
import { channelsOf } from '../code/channels.ts';
import codeCss from '../code/code.css?inline';
import type { AwaitedCode, CodeEntryHandle } from '../code/code-entry.tsx';
import { DrawnElement } from '../drawn-element.ts';
import { confirmTexts, type ConfirmFormTexts } from '../../intl/languages/confirm-texts.ts';
import css from './confirm.css?inline';
import { Confirm } from './confirm.tsx';

/**
 * It never calls the service: the host page asks its back end and answers by `respond`.
 * Attributes: `confirmation` (the id; another one starts over), `amount` and `currency`, `payee`, `phone` (where the
 * code was sent, as it is shown), `code-length`, `expires-in` (seconds, from when it is set), `resend-seconds` (the
 * pause before the code is sent again), `channels` (by which the code may be sent again), `locale`, `hide-title`,
 * `autofocus`.
 * Properties: `texts`, other texts; `now`, to replace the browser's clock.
 * Method: `enterCode(code)`, for an app that reads the code itself.
 * Events: `ledgerline-code` and `ledgerline-resend`, which the host page answers; `ledgerline-approved`,
 * `ledgerline-failed`, `ledgerline-expired`.
 */
export class LedgerlineConfirm extends DrawnElement<ConfirmFormTexts> {
  static observedAttributes = [
    'confirmation',
    'amount',
    'currency',
    'payee',
    'phone',
    'code-length',
    'expires-in',
    'resend-seconds',
    'channels',
    'locale',
    'hide-title',
  ];

  readonly #handle: { current: CodeEntryHandle | null } = { current: null };
  #startedAt = 0;
  /** Kept while it is the same code, since the field is emptied for another one. */
  #awaited: AwaitedCode = { codeLength: 0, expiresAt: undefined };

  protected readonly rules = codeCss + css;
  protected readonly table = confirmTexts;

  now: () => number = Date.now;

  enterCode(code: string): void {
    this.#handle.current?.enter(code);
  }

  override attributeChangedCallback(name: string): void {
    if (name === 'confirmation' || name === 'expires-in') this.#startedAt = this.now();
    super.attributeChangedCallback(name);
  }

  protected content(): ComponentChild {
    const confirmationId = this.getAttribute('confirmation');
    if (!confirmationId) return null;
    const { usedLocale: locale } = this;
    const text = (name: string) => this.getAttribute(name)?.trim() || undefined;
    return (
      <div class="language" data-focus-home {...this.languageAttributes}>
        <Confirm
          key={confirmationId}
          confirmationId={confirmationId}
          terms={{ amount: text('amount'), currency: text('currency'), payee: text('payee') }}
          phone={text('phone')}
          awaited={this.#awaitedCode()}
          sentAt={this.#startedAt}
          resendSeconds={Number(this.getAttribute('resend-seconds') ?? 30)}
          channels={channelsOf(this.getAttribute('channels'))}
          texts={this.texts}
          locale={locale}
          hidesTitle={this.hasAttribute('hide-title')}
          takesFocus={this.hasAttribute('autofocus')}
          handle={this.#handle}
          now={() => this.now()}
          announce={(event, detail) => this.announce(event, detail)}
        />
      </div>
    );
  }

  #awaitedCode(): AwaitedCode {
    const seconds = Number(this.getAttribute('expires-in')) || undefined;
    const codeLength = Number(this.getAttribute('code-length')) || usualCodeLength;
    const expiresAt = seconds && this.#startedAt + seconds * 1000;
    const isSame = codeLength === this.#awaited.codeLength && expiresAt === this.#awaited.expiresAt;
    if (!isSame) this.#awaited = { codeLength, expiresAt };
    return this.#awaited;
  }
}

const usualCodeLength = 6;

if (!customElements.get('ledgerline-confirm')) customElements.define('ledgerline-confirm', LedgerlineConfirm);
