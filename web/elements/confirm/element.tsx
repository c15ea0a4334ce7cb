/** `<ledgerline-confirm>`: a form for the code of one payment or other act, for any page. */
import type { ComponentChild } from 'preact';
import { Steady } from '../code/steady.tsx';
import { FailedForm } from '../code/failed-form.tsx';
import { channelsOf } from '../code/channels.ts';
import codeCss from '../code/code.css?inline';
import type { AwaitedCode, CodeEntryHandle } from '../code/code-entry.tsx';
import { defineElement } from '../define-element.ts';
import { DrawnElement } from '../drawn-element.ts';
import { confirmTexts, type ConfirmFormTexts } from '../../intl/languages/confirm-texts.ts';
import { attributes } from './description.ts';
import css from './confirm.css?inline';
import { Confirm } from './confirm.tsx';

/** It never calls the service: the host page asks its back end and answers by `respond`. What it offers is in `description.ts`. */
export class LedgerlineConfirm extends DrawnElement<ConfirmFormTexts> {
  static observedAttributes = Object.keys(attributes);

  readonly #handle: { current: CodeEntryHandle | null } = { current: null };
  #startedAt = 0;
  /** Kept while it is the same code, since the field is emptied for another one. */
  #awaited: AwaitedCode = { codeLength: 0, expiresAt: undefined };

  protected readonly rules = codeCss + css;
  protected readonly table = confirmTexts;
  protected readonly mainField = 'input';
  #now: () => number = Date.now;

  get now(): () => number {
    return this.#now;
  }

  set now(clock: (() => number) | undefined) {
    this.#now = clock ?? Date.now;
  }

  protected failed(retry: () => void): ComponentChild {
    return <FailedForm texts={this.texts} language={this.languageAttributes} onRetry={retry} />;
  }

  /** A page may show it before there is a confirmation. */
  protected missing(): string[] {
    return [];
  }

  enterCode(code: string): void {
    this.#handle.current?.enter(code);
  }

  override attributeChangedCallback(name: string): void {
    if (name === 'confirmation' || name === 'expires-in') this.#startedAt = this.#now();
    super.attributeChangedCallback(name);
  }

  protected content(): ComponentChild {
    const confirmationId = this.getAttribute('confirmation');
    if (!confirmationId) return null;
    const { usedLocale: locale } = this;
    const text = (name: string) => this.getAttribute(name)?.trim() || undefined;
    return (
      <Steady language={this.languageAttributes}>
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
          now={() => this.#now()}
          announce={(event, detail) => void this.announce(event, detail)}
        />
      </Steady>
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

defineElement('ledgerline-confirm', LedgerlineConfirm, attributes);
