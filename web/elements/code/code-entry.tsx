/** A form for a code from the phone: the field, how long the code is valid, and ways to get it again. */
import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CodeTexts } from '../../intl/languages/en.ts';
import { westernDigits } from '../../intl/western-digits.ts';
import type { Channel } from './channels.ts';
import { Complaint } from './complaint.tsx';
import { formatDuration } from '../../intl/duration.ts';
import type { Failure } from './failures.ts';
import { useNow } from '../../ui/use-now.ts';
import { receiveCode } from './web-otp.ts';

/** The code that is waited for. Another object means another code or text, and the field is emptied for it. */
export interface AwaitedCode {
  codeLength: number;
  /** In milliseconds; undefined if it is not known. */
  expiresAt: number | undefined;
}

export type Busy = 'send' | 'verify' | undefined;

export interface CodeEntryHandle {
  enter(code: string): void;
}

interface CodeEntryTexts extends CodeTexts {
  expired: string;
  resend: string;
  resendIn(time: string): string;
}

interface CodeEntryProps {
  awaited: AwaitedCode;
  texts: CodeEntryTexts;
  /** Above the field. */
  children: ComponentChildren;
  /** Where the code was sent. */
  about: string;
  submit: { label: string; busyLabel: string };
  /** The channels by which the code may be sent again. */
  channels: Channel[];
  failure: Failure | undefined;
  /** What is said about the failure at a time; undefined for nothing. */
  sentenceAt(time: number): string | undefined;
  /** The last action, for screen readers. */
  done: string;
  /** The running request. */
  busy: Busy;
  /** Whether the field gets the focus immediately. */
  takesFocus: boolean;
  handle: Ref<CodeEntryHandle>;
  now(): number;
  secondsUntilResend(): number;
  onCode(code: string): void;
  onResend(channel?: Channel): void;
  moreButtons?: ComponentChildren;
}

export function CodeEntry(props: CodeEntryProps) {
  const { awaited, texts, failure, busy, handle, onCode } = props;
  const { codeLength, expiresAt } = awaited;
  const id = useId();
  const [code, setCode] = useState('');
  const [isTooShort, setTooShort] = useState(false);
  const now = useNow(props.now, true);
  const input = useRef<HTMLInputElement>(null);
  const isWaiting = failure?.endsAt !== undefined && failure.endsAt > now;
  const isBlocked = isWaiting && failure.kind === 'blocked';
  const isExpired = expiresAt !== undefined && expiresAt <= now;
  const isOver = failure?.endsAt !== undefined && !isWaiting;
  const isClosed = busy !== undefined || isBlocked || isExpired;
  const complaint = complaintAt(now);

  useEffect(() => receiveCode(enter), [awaited]);
  // Before the next paint, so that what a fast user types immediately is not lost.
  useLayoutEffect(() => start(props.takesFocus), [awaited]);
  useLayoutEffect(() => {
    // Only a code that was judged is of no more use: after a failure of the network it can be sent again.
    if (failure?.kind === 'invalidCode' || failure?.kind === 'blocked') start(true);
    else if (failure) input.current!.focus({ preventScroll: true });
  }, [failure]);
  useImperativeHandle(handle, () => ({ enter }), [awaited, isBlocked, isExpired]);

  function start(takesFocus: boolean): void {
    setCode('');
    if (takesFocus) input.current!.focus({ preventScroll: true });
  }

  function complaintAt(time: number): string | undefined {
    if (isBlocked) return props.sentenceAt(time);
    if (isExpired) return texts.expired;
    if (isTooShort) return texts.tooShort(codeLength);
    return isOver ? undefined : props.sentenceAt(time);
  }

  function digitsOf(text: string): string {
    return westernDigits(text).replace(/\D/g, '').slice(0, codeLength);
  }

  function enter(text: string): void {
    const digits = digitsOf(text);
    setCode(digits);
    setTooShort(false);
    if (digits.length === codeLength && !isBlocked && !isExpired) onCode(digits);
  }

  function submit(event: Event): void {
    event.preventDefault();
    setTooShort(code.length < codeLength);
    if (code.length < codeLength) input.current!.focus();
    else onCode(code);
  }

  return (
    <form onSubmit={submit} noValidate part="form">
      {props.children}
      <About text={props.about} expiresAt={expiresAt} now={now} texts={texts} />
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
          readOnly={isClosed}
          aria-invalid={complaint !== undefined}
          aria-describedby={complaint ? `${id}complaint` : undefined}
          onInput={(event) => {
            enter(event.currentTarget.value);
            // Preact does not write a value again that it wrote before.
            event.currentTarget.value = digitsOf(event.currentTarget.value);
          }}
        />
        <Boxes code={code} codeLength={codeLength} />
      </div>
      {complaint && <Complaint id={`${id}complaint`} text={complaint} spoken={complaintAt(failure?.at ?? now)!} />}
      <p class="unseen" role="status">
        {props.done}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" part="button" disabled={isClosed}>
          {busy === 'verify' ? props.submit.busyLabel : props.submit.label}
        </button>
        <ResendButtons {...props} isHeld={busy !== undefined || isWaiting} />
        {props.moreButtons}
      </div>
    </form>
  );
}

interface AboutProps {
  text: string;
  expiresAt: number | undefined;
  now: number;
  texts: CodeTexts;
}

function About({ text, expiresAt, now, texts }: AboutProps) {
  const secondsLeft = expiresAt === undefined ? 0 : Math.floor((expiresAt - now) / 1000);
  return (
    <p class="soft" part="text">
      {text} {secondsLeft > 0 && <span class="countdown">{texts.validFor(formatDuration(secondsLeft))}</span>}
    </p>
  );
}

function Boxes({ code, codeLength }: { code: string; codeLength: number }) {
  return (
    <div class="boxes" aria-hidden="true" style={{ '--digits': codeLength }}>
      {Array.from({ length: codeLength }, (_, index) => (
        <span key={index} part="box" class={index === code.length ? 'next' : ''}>
          {code[index]}
        </span>
      ))}
    </div>
  );
}

type ResendButtonsProps = Pick<CodeEntryProps, 'texts' | 'busy' | 'channels' | 'secondsUntilResend' | 'onResend'> & {
  isHeld: boolean;
};

/** The same again, and after the countdown other channels. */
function ResendButtons({ texts, busy, channels, secondsUntilResend, onResend, isHeld }: ResendButtonsProps) {
  const waitSeconds = secondsUntilResend();
  const label = waitSeconds > 0 ? texts.resendIn(formatDuration(waitSeconds)) : texts.resend;
  const others = [
    { channel: 'voice', label: texts.callInstead },
    { channel: 'whatsapp', label: texts.useWhatsApp },
  ] as const;
  return (
    <>
      <button type="button" class="quiet" part="resend" disabled={isHeld || waitSeconds > 0} onClick={() => onResend()}>
        {busy === 'send' ? texts.sending : label}
      </button>
      {others
        .filter(({ channel }) => waitSeconds === 0 && channels.includes(channel))
        .map(({ channel, label: name }) => (
          <button
            type="button"
            key={channel}
            class="quiet"
            part={channel}
            disabled={isHeld}
            onClick={() => onResend(channel)}
          >
            {name}
          </button>
        ))}
    </>
  );
}
