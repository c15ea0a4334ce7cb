/** The form: what is confirmed, its code, done. The host page decides; nothing here calls the service. */
import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useRef, useState } from 'preact/hooks';
import { formatMoney } from '../../intl/money.ts';
import type { Channel } from '../code/channels.ts';
import { CodeEntry, type AwaitedCode, type Busy, type CodeEntryHandle } from '../code/code-entry.tsx';
import { Complaint } from '../code/complaint.tsx';
import { Done } from '../code/done.tsx';
import { reportOf, useClearWhenOnline } from '../code/failures.ts';
import type { ConfirmFormTexts } from '../../intl/languages/confirm-texts.ts';
import { requireAccepted, confirmSentence, failureOf, isEnding, type ConfirmFailure } from './failures.ts';

/** What the person agrees to. Each part is undefined if the confirmation has none. */
interface Terms {
  amount: string | undefined;
  currency: string | undefined;
  payee: string | undefined;
}

export interface ConfirmProps {
  confirmationId: string;
  terms: Terms;
  /** Where the code was sent, as it is shown. */
  phone: string | undefined;
  awaited: AwaitedCode;
  /** When the first text was sent, in milliseconds. */
  sentAt: number;
  resendSeconds: number;
  channels: Channel[];
  texts: ConfirmFormTexts;
  locale: string;
  hidesTitle: boolean;
  takesFocus: boolean;
  handle: Ref<CodeEntryHandle>;
  now(): number;
  /** Dispatches an event on the element. */
  announce(event: string, detail: unknown): void;
}

export function Confirm(props: ConfirmProps) {
  const { confirmationId, texts, awaited, channels, now } = props;
  const [isApproved, setApproved] = useState(false);
  const [failure, setFailure] = useState<ConfirmFailure>();
  const [busy, setBusy] = useState<Busy>();
  const isBusy = useRef(false);
  const isShown = useRef(true);
  const [done, setDone] = useState('');
  const [lastSend, setLastSend] = useState<{ at: number; channel?: Channel | undefined }>({ at: props.sentAt });
  const codeEntry = useRef<CodeEntryHandle>(null);
  const ending = failure && isEnding(failure.kind) ? failure : undefined;
  const isOpen = !isApproved && !ending;

  useImperativeHandle(props.handle, () => ({ enter: (code) => codeEntry.current?.enter(code) }), []);
  useEffect(() => () => void (isShown.current = false), []);
  useClearWhenOnline(failure, () => setFailure(undefined));
  // A code that is being judged may still be approved.
  useEffect(() => {
    if (!isOpen || busy || awaited.expiresAt === undefined) return;
    const end = () => fail(failureOf({ reason: 'expired' }, now(), false));
    // The clock of the page may be moved, so the time is read again and again.
    const timer = setInterval(() => awaited.expiresAt! <= now() && end(), expiryMilliseconds);
    return () => clearInterval(timer);
  }, [isOpen, busy, awaited]);

  function fail(met: ConfirmFailure, error?: unknown): void {
    setFailure(met);
    if (met.kind === 'expired') return props.announce('ledgerline-expired', { confirmationId });
    const isFinal = isEnding(met.kind);
    props.announce('ledgerline-failed', { confirmationId, isFinal, ...reportOf(met, error) });
  }

  /** Asks the host page by an event, one question at a time, and waits for its answer. */
  async function ask(
    question: Exclude<Busy, undefined>,
    event: string,
    detail: { code?: string; channel?: Channel | undefined },
  ) {
    if (isBusy.current || !isOpen) return false;
    isBusy.current = true;
    setBusy(question);
    setFailure(undefined);
    setDone('');
    try {
      requireAccepted(
        await new Promise((resolve) => props.announce(event, { confirmationId, ...detail, respond: resolve })),
      );
      return isShown.current;
    } catch (error) {
      if (isShown.current) fail(failureOf(error, now(), detail.channel !== undefined), error);
      return false;
    } finally {
      isBusy.current = false;
      if (isShown.current) setBusy(undefined);
    }
  }

  async function confirm(code: string): Promise<void> {
    if (!(await ask('verify', 'ledgerline-code', { code }))) return;
    setApproved(true);
    props.announce('ledgerline-approved', { confirmationId });
  }

  /** Without a choice of the person the text goes the usual way again, also after a call. */
  async function resend(chosen: Channel | undefined): Promise<void> {
    const channel = chosen ?? (lastSend.channel && channels.includes('sms') ? 'sms' : undefined);
    if (!(await ask('send', 'ledgerline-resend', { channel }))) return;
    setLastSend({ at: now(), channel });
    setDone(texts.resent);
  }

  if (isApproved) {
    return (
      <Done part="approved" title={texts.approvedTitle}>
        <What {...props} />
      </Done>
    );
  }
  const head = (
    <>
      {!props.hidesTitle && <h2 part="title">{props.terms.amount ? texts.paymentTitle : texts.codeTitle}</h2>}
      <What {...props} />
    </>
  );
  if (ending) {
    const sentence = confirmSentence(ending, texts, now());
    return (
      <div class="ended" part="ended">
        {head}
        <Complaint id="complaint" text={sentence} spoken={sentence} />
        <slot name="ended" />
      </div>
    );
  }
  return (
    <CodeEntry
      awaited={awaited}
      texts={texts}
      about={aboutOf(lastSend.channel, props)}
      submit={{ label: texts.approve, busyLabel: texts.approving }}
      channels={channels}
      failure={failure}
      sentenceAt={(time) => failure && confirmSentence(failure, texts, time)}
      done={done}
      busy={busy}
      takesFocus={props.takesFocus}
      handle={codeEntry}
      now={now}
      secondsUntilResend={() => Math.max(0, Math.ceil(props.resendSeconds - (now() - lastSend.at) / 1000))}
      onCode={(code) => void confirm(code)}
      onResend={(channel) => void resend(channel)}
    >
      {head}
    </CodeEntry>
  );
}

const expiryMilliseconds = 250;
const isDecimal = (text: string) => /^-?\d+(\.\d+)?$/.test(text);

/** The amount and the payee, large: the person must see what the code is for. */
function What({ terms: { amount, currency = '', payee }, texts, locale }: ConfirmProps) {
  const mark = '\u0000';
  const [before, after] = texts.to(mark).split(mark);
  return (
    <>
      {amount !== undefined && (
        <p class="amount" part="amount">
          <bdi>{isDecimal(amount) ? formatMoney(locale, amount, currency) : `${amount} ${currency}`}</bdi>
        </p>
      )}
      {payee !== undefined && (
        <p class="payee" part="payee">
          {before}
          <bdi>{payee}</bdi>
          {after}
        </p>
      )}
    </>
  );
}

function aboutOf(channel: Channel | undefined, { phone, texts }: ConfirmProps): string {
  if (channel === 'voice') return texts.calledAbout;
  if (channel === 'whatsapp') return texts.whatsAppAbout;
  return phone === undefined ? texts.codeAbout : texts.codeAboutNumber(phone);
}
