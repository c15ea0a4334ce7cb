/** `<ledgerline-confirm>` for a new confirmation. In a sandbox the page plays the back end, which checks the code. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type Client } from '../../client/index.ts';
import type { CodeDetail, EndedDetail, FailedDetail, ResendDetail } from '../elements/confirm/details.ts';
import { listen } from '../elements/listen.ts';
import { LedgerlineConfirm } from '../elements/confirm/element.tsx';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { pageLocale } from './page-locale.ts';

/** What a confirmation is bound to. */
export interface Act {
  purpose: string;
  amount?: string;
  currency?: string;
  payee?: string;
}

/** How a code ended. */
export type Outcome = 'used' | 'expired' | 'void';

/** What a form on a page tells about its code. */
export interface CodeListener {
  /** A code was sent that `enter` fills in. */
  onSent(sent: { expiresInSeconds: number; enter(code: string): void }): void;
  onEnded(outcome: Outcome): void;
}

interface ConfirmFormProps extends CodeListener {
  client: Client;
  userId: number;
  phoneNumber: string | undefined;
  channels: string;
  act: Act;
  /** What the back end is about to do when the code arrives. */
  actAtCheck?: () => Act;
  now(): number;
  onApproved(confirmationId: string): void;
}

/** The confirmation is created when the form is drawn first. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { client, userId } = props;
  const texts = pageTexts.of(pageLocale);
  const box = useRef<HTMLDivElement>(null);
  const element = useMemo(() => new LedgerlineConfirm(), []);
  const [isFailed, setFailed] = useState(false);
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    element.now = props.now;
    element.setAttribute('locale', pageLocale);
    element.setAttribute('channels', props.channels);
    element.toggleAttribute('autofocus', true);
    for (const name of ['amount', 'currency', 'payee'] as const) element.setAttribute(name, props.act[name] ?? '');
    element.setAttribute('phone', props.phoneNumber ?? '');
    listen(element, 'ledgerline-code', ({ confirmationId, code, respond }: CodeDetail) =>
      respond(check(confirmationId, code)),
    );
    listen(element, 'ledgerline-resend', ({ confirmationId, channel, respond }: ResendDetail) =>
      respond(client.confirmations.resend(userId, confirmationId, channel && { channel })),
    );
    listen(element, 'ledgerline-approved', ({ confirmationId }: EndedDetail) => {
      latest.current.onEnded('used');
      latest.current.onApproved(confirmationId);
    });
    element.addEventListener('ledgerline-expired', () => latest.current.onEnded('expired'));
    listen(element, 'ledgerline-failed', ({ isFinal }: FailedDetail) => {
      if (isFinal) latest.current.onEnded('void');
    });
    box.current!.append(element);
    void create();
  }, []);

  async function create(): Promise<void> {
    setFailed(false);
    try {
      const request = { ...props.act, locale: pageLocale };
      const { confirmationId, codeLength, expiresInSeconds } = await client.confirmations.create(userId, request);
      element.setAttribute('code-length', String(codeLength));
      element.setAttribute('expires-in', String(expiresInSeconds));
      element.setAttribute('confirmation', confirmationId);
      latest.current.onSent({ expiresInSeconds, enter: (code) => element.enterCode(code) });
    } catch {
      // The answer is in the list of calls.
      setFailed(true);
    }
  }

  /** After a refused check the state says what it means. A check is never repeated. */
  async function check(confirmationId: string, code: string): Promise<void> {
    const { actAtCheck, act } = latest.current;
    try {
      await client.confirmations.check(userId, confirmationId, { code, ...(actAtCheck?.() ?? act) });
    } catch (error) {
      if (!(error instanceof LedgerlineError)) throw error;
      const { state } = await client.confirmations.read(userId, confirmationId);
      if (state === 'pending') throw error;
      if (state !== 'approved') throw Object.assign(new Error(error.message), { reason: state });
    }
  }

  return (
    <>
      <div ref={box} />
      {isFailed && (
        <p class="complaint" role="alert">
          {texts.codeNotSent}{' '}
          <button type="button" class="quiet small" onClick={() => void create()}>
            {texts.tryAgain}
          </button>
        </p>
      )}
    </>
  );
}
