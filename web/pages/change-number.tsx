/**
 * Another number for a verified user: first a confirmation by the current number, then the form for the new one. A
 * user-bound token always needs the confirmation, and a service token if LEDGERLINE_CHANGE_CONFIRMED is set.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Client, TokenSource } from '../../client/index.ts';
import { pageTexts } from '../intl/languages/page-texts.ts';
import type { LedgerlineVerify } from '../elements/verify/element.tsx';
import type { SentDetail, StepDetail } from '../elements/verify/details.ts';
import '../elements/verify/element.tsx';
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
  const form = useRef<LedgerlineVerify>(null);
  useEffect(() => () => props.onForm?.(undefined), []);
  if (confirmationId === undefined) {
    return (
      <>
        <p class="soft lead">{pageTexts.of(pageLocale).confirmFirst}</p>
        <ConfirmForm {...props} act={{ purpose: 'change-phone' }} onApproved={setConfirmationId} />
      </>
    );
  }
  return (
    <ledgerline-verify
      ref={form}
      mode="change"
      user={props.userId}
      confirmation-id={confirmationId}
      locale={pageLocale}
      channels={props.channels}
      autofocus
      fetch={props.fetch}
      now={props.now}
      getToken={props.token}
      onledgerline-sent={({ detail: { phoneNumber, expiresInSeconds = 0 } }: CustomEvent<SentDetail>) => {
        props.onSentTo?.(phoneNumber);
        props.onSent({ expiresInSeconds, enter: (code) => form.current?.enterCode(code) });
      }}
      onledgerline-step={({ detail: { step } }: CustomEvent<StepDetail>) =>
        props.onForm?.(step === 'number' ? form.current! : undefined)
      }
      onledgerline-verified={() => {
        props.onEnded('used');
        props.onChanged();
      }}
    />
  );
}
