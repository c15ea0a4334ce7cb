/**
 * Another number for a verified user: first a confirmation by the current number, then the form for the new one. A
 * user-bound token always needs the confirmation, and a service token if LEDGERLINE_CHANGE_CONFIRMED is set.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Client, TokenSource } from '../../client/index.ts';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { LedgerlineVerify } from '../elements/verify/element.tsx';
import { listen } from '../elements/listen.ts';
import type { SentDetail, StepDetail } from '../elements/verify/details.ts';
import { ConfirmForm, type CodeListener } from './confirm-form.tsx';
import { pageLocale } from './page-locale.ts';

interface ChangeNumberProps extends CodeListener {
  client: Client;
  token: TokenSource;
  fetch: typeof fetch;
  userId: number;
  /** The current number. */
  phoneNumber: string | undefined;
  channels: string;
  now(): number;
  /** The form for the new number, while it is asked for. */
  onForm?(form: LedgerlineVerify | undefined): void;
  onSentTo?(phoneNumber: string): void;
  onChanged(): void;
}

export function ChangeNumber(props: ChangeNumberProps) {
  const [confirmationId, setConfirmationId] = useState<string>();
  if (confirmationId !== undefined) return <NewNumber {...props} confirmationId={confirmationId} />;
  return (
    <>
      <p class="soft lead">{pageTexts.of(pageLocale).confirmFirst}</p>
      <ConfirmForm {...props} act={{ purpose: 'change-phone' }} onApproved={setConfirmationId} />
    </>
  );
}

function NewNumber(props: ChangeNumberProps & { confirmationId: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const form = new LedgerlineVerify();
    form.setAttribute('mode', 'change');
    form.setAttribute('user', String(props.userId));
    form.setAttribute('confirmation-id', props.confirmationId);
    form.setAttribute('locale', pageLocale);
    form.setAttribute('channels', props.channels);
    form.toggleAttribute('autofocus', true);
    form.fetch = props.fetch;
    form.now = props.now;
    form.getToken = props.token;
    listen(form, 'ledgerline-sent', ({ phoneNumber, expiresInSeconds = 0 }: SentDetail) => {
      props.onSentTo?.(phoneNumber);
      props.onSent({ expiresInSeconds, enter: (code) => form.enterCode(code) });
    });
    listen(form, 'ledgerline-step', ({ step }: StepDetail) => {
      props.onForm?.(step === 'number' ? form : undefined);
    });
    form.addEventListener('ledgerline-verified', () => {
      props.onEnded('used');
      props.onChanged();
    });
    box.current!.append(form);
    return () => props.onForm?.(undefined);
  }, []);
  return <div ref={box} />;
}
