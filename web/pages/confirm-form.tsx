/** `<ledgerline-confirm>` for a new confirmation. In a sandbox the page plays the back end, which checks the code. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type Client, type CreatedConfirmation } from '../../client/index.ts';
import type { CodeDetail, EndedDetail, FailedDetail, ResendDetail } from '../elements/confirm/details.ts';
import type { LedgerlineConfirm } from '../elements/confirm/element.tsx';
import '../elements/confirm/element.tsx';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { pageLocale } from './page-locale.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

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
  const { client, userId, act, onEnded } = props;
  const texts = pageTexts.of(pageLocale);
  const form = useRef<LedgerlineConfirm>(null);
  const [sent, setSent] = useState<CreatedConfirmation>();
  const [isFailed, setFailed] = useState(false);
  useLayoutEffect(() => void create(), []);

  async function create(): Promise<void> {
    setFailed(false);
    try {
      const created = await client.confirmations.create(userId, { ...act, locale: pageLocale });
      setSent(created);
      const { expiresInSeconds } = created;
      props.onSent({ expiresInSeconds, enter: (code) => form.current?.enterCode(code) });
    } catch {
      // The answer is in the list of calls.
      setFailed(true);
    }
  }

  /** After a refused check the state says what it means. A check is never repeated. */
  async function check(confirmationId: string, code: string): Promise<void> {
    try {
      await client.confirmations.check(userId, confirmationId, { code, ...(props.actAtCheck?.() ?? act) });
    } catch (error) {
      if (!(error instanceof LedgerlineError)) throw error;
      const { state } = await client.confirmations.read(userId, confirmationId);
      if (state === 'pending') throw error;
      if (state !== 'approved') throw Object.assign(new Error(error.message), { reason: state });
    }
  }

  return (
    <>
      <ledgerline-confirm
        ref={form}
        confirmation={sent?.confirmationId}
        code-length={sent?.codeLength}
        expires-in={sent?.expiresInSeconds}
        amount={act.amount}
        currency={act.currency}
        payee={act.payee}
        phone={props.phoneNumber}
        locale={pageLocale}
        channels={props.channels}
        now={props.now}
        autofocus
        onledgerline-code={({ detail: { confirmationId, code, respond } }: CustomEvent<CodeDetail>) =>
          respond(check(confirmationId, code))
        }
        onledgerline-resend={({ detail: { confirmationId, channel, respond } }: CustomEvent<ResendDetail>) =>
          respond(client.confirmations.resend(userId, confirmationId, channel && { channel }))
        }
        onledgerline-approved={({ detail }: CustomEvent<EndedDetail>) => {
          onEnded('used');
          props.onApproved(detail.confirmationId);
        }}
        onledgerline-expired={() => onEnded('expired')}
        onledgerline-failed={({ detail }: CustomEvent<FailedDetail>) => detail.isFinal && onEnded('void')}
      />
      {isFailed && (
        <p class="complaint" role="alert">
          {texts.codeNotSent} <QuietButton onClick={() => void create()}>{texts.tryAgain}</QuietButton>
        </p>
      )}
    </>
  );
}
