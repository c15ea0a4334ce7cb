/** The second step: the code from the text message. */
import { useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Ref } from 'preact';
import { westernDigits } from '../western-digits.ts';
import { Complaint } from './complaint.tsx';
import { formatDuration } from './duration.ts';
import { sentenceOf, type Failure } from './failures.ts';
import { useForm, useNow } from './form.ts';
import { receiveCode } from './web-otp.ts';

export interface SentTo {
  userId: number;
  display: string;
  codeLength: number;
  /** In milliseconds; undefined if it is not known. */
  expiresAt: number | undefined;
  /** Whether it is not known that the text was sent. */
  isUncertain: boolean;
}

export type Busy = 'send' | 'verify' | undefined;

export interface CodeStepHandle {
  enter(code: string): void;
}

interface CodeStepProps {
  sent: SentTo;
  failure: Failure | undefined;
  /** The last action, for screen readers. */
  done: string;
  /** The running request. */
  busy: Busy;
  handle: Ref<CodeStepHandle>;
  onVerify(code: string): void;
  onResend(): void;
  onChangeNumber(): void;
}

export function CodeStep({ sent, failure, done, busy, handle, onVerify, onResend, onChangeNumber }: CodeStepProps) {
  const { client, texts, hidesTitle } = useForm();
  const id = useId();
  const [code, setCode] = useState('');
  const [isTooShort, setTooShort] = useState(false);
  const now = useNow(true);
  const input = useRef<HTMLInputElement>(null);
  const isWaiting = failure?.endsAt !== undefined && failure.endsAt > now;
  const isBlocked = isWaiting && failure.kind === 'blocked';
  const isExpired = sent.expiresAt !== undefined && sent.expiresAt <= now;
  const waitSeconds = client.secondsUntilResend(sent.userId);
  const secondsLeft = sent.expiresAt === undefined ? undefined : Math.floor((sent.expiresAt - now) / 1000);
  const isOver = failure?.endsAt !== undefined && !isWaiting;
  const complaint = complaintAt(now);

  useEffect(() => receiveCode(enter), [sent]);
  // Before the next paint, so that what a fast user types immediately is not lost.
  useLayoutEffect(start, [sent]);
  useLayoutEffect(() => {
    // Only a code that was judged is of no more use: after a failure of the network it can be sent again.
    if (failure?.kind === 'invalidCode' || failure?.kind === 'blocked') start();
    else if (failure) input.current!.focus({ preventScroll: true });
  }, [failure]);
  useImperativeHandle(handle, () => ({ enter }), [sent, isBlocked, isExpired]);

  function start(): void {
    setCode('');
    input.current!.focus({ preventScroll: true });
  }

  function complaintAt(time: number): string | undefined {
    if (isBlocked) return sentenceOf(failure, texts, time);
    if (isExpired) return texts.expired;
    if (isTooShort) return texts.tooShort(sent.codeLength);
    return failure && !isOver && failure.kind !== 'sendUnknown' ? sentenceOf(failure, texts, time) : undefined;
  }

  function digitsOf(text: string): string {
    return westernDigits(text).replace(/\D/g, '').slice(0, sent.codeLength);
  }

  function enter(text: string): void {
    const digits = digitsOf(text);
    setCode(digits);
    setTooShort(false);
    if (digits.length === sent.codeLength && !isBlocked && !isExpired) onVerify(digits);
  }

  function submit(event: Event): void {
    event.preventDefault();
    setTooShort(code.length < sent.codeLength);
    if (code.length < sent.codeLength) input.current!.focus();
    else onVerify(code);
  }

  return (
    <form onSubmit={submit} noValidate part="form">
      {!hidesTitle && <h2 part="title">{texts.codeTitle}</h2>}
      <p class="soft" part="text">
        {sent.isUncertain ? texts.codeMayArrive(sent.display) : texts.codeAbout(sent.display)}{' '}
        {secondsLeft !== undefined && secondsLeft > 0 && (
          <span class="countdown">{texts.validFor(formatDuration(secondsLeft))}</span>
        )}
      </p>
      <div class="code" part="code">
        <label for={`${id}code`} class="unseen">
          {texts.code}
        </label>
        <input
          ref={input}
          id={`${id}code`}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\d*"
          value={code}
          readOnly={busy !== undefined || isBlocked || isExpired}
          aria-invalid={complaint !== undefined}
          aria-describedby={complaint ? `${id}complaint` : undefined}
          onInput={(event) => {
            enter(event.currentTarget.value);
            // Preact does not write a value again that it wrote before.
            event.currentTarget.value = digitsOf(event.currentTarget.value);
          }}
        />
        <div class="boxes" aria-hidden="true" style={{ '--digits': sent.codeLength }}>
          {Array.from({ length: sent.codeLength }, (_, index) => (
            <span key={index} part="box" class={index === code.length ? 'next' : ''}>
              {code[index]}
            </span>
          ))}
        </div>
      </div>
      {complaint && <Complaint id={`${id}complaint`} text={complaint} spoken={complaintAt(failure?.at ?? now)!} />}
      <p class="unseen" role="status">
        {done}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" part="button" disabled={busy !== undefined || isBlocked || isExpired}>
          {busy === 'verify' ? texts.verifying : texts.verify}
        </button>
        <button
          type="button"
          class="quiet"
          part="resend"
          disabled={busy !== undefined || isWaiting || waitSeconds > 0}
          onClick={onResend}
        >
          {busy === 'send'
            ? texts.sending
            : waitSeconds > 0
              ? texts.resendIn(formatDuration(waitSeconds))
              : texts.resend}
        </button>
        <button type="button" class="quiet" part="change" onClick={onChangeNumber}>
          {texts.changeNumber}
        </button>
      </div>
    </form>
  );
}
