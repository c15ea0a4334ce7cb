/** The form: number, code, done. */
import { useEffect, useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { Ref } from 'preact';
import { LedgerlineError } from '../../../client/errors.ts';
import { newIdempotencyKey, type SendOptions, type SentCode } from '../../../client/phone.ts';
import { isRefusedByCors, noteAnswer } from '../../data/cors.ts';
import type { Channel } from '../code/channels.ts';
import { CodeEntry, type AwaitedCode, type Busy, type CodeEntryHandle } from '../code/code-entry.tsx';
import { Done } from '../code/done.tsx';
import { reportOf, useClearWhenOnline } from '../code/failures.ts';
import { failureOf, verifySentence, type VerifyFailure } from './failures.ts';
import { useForm } from './form.ts';
import type { VerifyFormTexts } from '../../intl/languages/verify-texts.ts';
import { NumberStep, type EnteredNumber } from './number-step.tsx';

/** The length of a code if the service could not provide it. */
const usualCodeLength = 6;

/**
 * How long a send without an answer is repeated with the same key. After that its code may expire before it is entered.
 */
const repeatMilliseconds = 120_000;

/** A send without a final answer. If it is repeated with its key, no second text is sent. */
interface OpenSend {
  /** What makes two sends the same for the service. */
  request: string;
  idempotencyKey: string;
  /** When it was first tried, in milliseconds. */
  startedAt: number;
}

interface SentTo extends AwaitedCode {
  userId: number;
  display: string;
  /** The channel that the person chose; undefined for the service's own choice. */
  channel: Channel | undefined;
  /** Whether it is not known that the text was sent. */
  isUncertain: boolean;
}

export interface VerifyHandle {
  enterCode(code: string): void;
  /** Fills in a number, in E.164 or as people of the chosen country write it. */
  enterNumber(text: string): void;
  reset(): void;
  readonly country: string;
}

type Step = 'number' | 'code' | 'verified';

export function Verify({ handle, isAutofocused }: { handle: Ref<VerifyHandle>; isAutofocused: boolean }) {
  const form = useForm();
  const { client, baseUrl, getUserId, texts, country, correlationType, change, channels, hidesTitle, now, announce } =
    form;
  const [step, setStep] = useState<Step>('number');
  const [entered, setEntered] = useState<Pick<EnteredNumber, 'country' | 'typed'>>({ country, typed: '' });
  const [sent, setSent] = useState<SentTo>();
  const [failure, setFailure] = useState<VerifyFailure>();
  const [busy, setBusy] = useState<Busy>();
  const isBusy = useRef(false);
  /** Aborted by `reset`. */
  const attempt = useRef(new AbortController());
  const [done, setDone] = useState('');
  const [hasStarted, setStarted] = useState(isAutofocused);
  const codeStep = useRef<CodeEntryHandle>(null);
  const number = useRef<EnteredNumber>(undefined);
  const userId = useRef<number>(undefined);
  const lastChannel = useRef<Channel>(undefined);
  const openSend = useRef<OpenSend>(undefined);
  /** Whether a verification got no answer. It may have succeeded, and then the used code is refused. */
  const isVerifyOpen = useRef(false);

  useImperativeHandle(
    handle,
    () => ({
      country: entered.country,
      enterCode: (code) => codeStep.current?.enter(code),
      enterNumber: (typed) => setEntered((before) => ({ ...before, typed })),
      reset() {
        attempt.current.abort();
        attempt.current = new AbortController();
        isBusy.current = false;
        setBusy(undefined);
        setEntered((before) => ({ ...before, typed: '' }));
        setFailure(undefined);
        setSent(undefined);
        setStarted(true);
        setStep('number');
      },
    }),
    [entered.country],
  );

  useClearWhenOnline(failure, () => setFailure(undefined));

  useEffect(() => announce('ledgerline-step', { step }), [step]);

  /** Runs one request at a time, and shows why it failed if it did. */
  async function run(request: Exclude<Busy, undefined>, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    const { signal } = attempt.current;
    setBusy(request);
    setFailure(undefined);
    setDone('');
    try {
      await work(signal);
      noteAnswer(baseUrl);
    } catch (error) {
      const met = failureOf(error, now());
      if (error instanceof LedgerlineError && error.status !== undefined) noteAnswer(baseUrl);
      const isRefused = met.kind === 'unreachable' && (await isRefusedByCors(baseUrl, error));
      if (signal.aborted) return;
      // The text may arrive, so it must be possible to enter its code.
      if (met.kind === 'sendUnknown') showCode({}, true);
      setFailure(isRefused ? { ...met, kind: 'notAllowed' } : met);
      announce('ledgerline-failed', { step, ...reportOf(met, error) });
    } finally {
      if (!signal.aborted) {
        isBusy.current = false;
        setBusy(undefined);
      }
    }
  }

  async function send(
    request: string,
    signal: AbortSignal,
    call: (options: SendOptions) => Promise<SentCode>,
  ): Promise<void> {
    const before = openSend.current;
    const isRepeated = before?.request === request && now() - before.startedAt < repeatMilliseconds;
    const { idempotencyKey } = (openSend.current = isRepeated
      ? before
      : { request, idempotencyKey: newIdempotencyKey(), startedAt: now() });
    try {
      const code = await call({ idempotencyKey, signal });
      openSend.current = undefined;
      received(code);
    } catch (error) {
      if (isRefusal(error)) openSend.current = undefined;
      throw error;
    }
  }

  async function verify(id: number, code: string, signal: AbortSignal): Promise<void> {
    try {
      await (change ? client.verifyChange(id, code, { signal }) : client.verify({ id, code }, { signal }));
    } catch (error) {
      if (isUnanswered(error)) isVerifyOpen.current = true;
      if (!isVerifyOpen.current || !(await isVerified(id, signal))) throw error;
    }
    finish(true);
  }

  async function isVerified(id: number, signal: AbortSignal): Promise<boolean> {
    try {
      const { isPhoneNumberVerified, phoneNumber } = await client.userStatus(id, { signal });
      return isPhoneNumberVerified && (!change || phoneNumber === number.current?.phoneNumber);
    } catch {
      // The failure of the code is shown, and it can be entered again.
      return false;
    }
  }

  /** Without a choice of the person the text goes the usual way again, also after a call. */
  function resend(chosen: Channel | undefined): Promise<void> {
    const { userId: id, channel: before } = sent!;
    const channel = chosen ?? (before && channels.includes('sms') ? 'sms' : undefined);
    return run('send', async (signal) => {
      lastChannel.current = channel;
      await send(`resend ${id} ${channel ?? ''}`, signal, (options) => {
        const sending = { ...options, ...(channel && { channel }) };
        return change ? client.resendChange(id, sending) : client.resendCode(id, sending);
      });
      setDone(texts.resent);
    });
  }

  function showCode({ codeLength = usualCodeLength, expiresInSeconds }: Partial<SentCode>, isUncertain: boolean): void {
    const { display, phoneNumber } = number.current!;
    setSent({
      userId: userId.current!,
      display,
      channel: lastChannel.current,
      codeLength,
      expiresAt: expiresInSeconds === undefined ? undefined : now() + expiresInSeconds * 1000,
      isUncertain,
    });
    setStep('code');
    announce('ledgerline-sent', { userId: userId.current, phoneNumber, expiresInSeconds });
  }

  function received(code: SentCode): void {
    if (code.alreadyVerified) return finish(false);
    showCode(code, false);
  }

  function finish(isNew: boolean): void {
    if (!isNew) number.current = undefined;
    setStep('verified');
    announce('ledgerline-verified', { userId: userId.current, phoneNumber: number.current?.phoneNumber });
  }

  if (step === 'number') {
    return (
      <NumberStep
        entered={entered}
        failure={failure}
        isBusy={busy !== undefined}
        takesFocus={hasStarted}
        onChange={(changed) => {
          setEntered(changed);
          if (failure && !failure.endsAt) setFailure(undefined);
        }}
        onSend={(next) =>
          void run('send', async (signal) => {
            const id = await getUserId();
            signal.throwIfAborted();
            number.current = next;
            userId.current = id;
            lastChannel.current = undefined;
            const request = { phoneNumber: next.phoneNumber, correlationType, ...change };
            await send(JSON.stringify({ id, ...request }), signal, (options) =>
              change ? client.changePhone(id, request, options) : client.sendCode({ id, ...request }, options),
            );
          })
        }
      />
    );
  }
  if (step === 'code') {
    return (
      <CodeEntry
        awaited={sent!}
        texts={texts}
        about={aboutOf(sent!, texts)}
        submit={{ label: texts.verify, busyLabel: texts.verifying }}
        channels={channels}
        failure={failure}
        sentenceAt={(time) => failure && sentenceInCodeStep(failure, texts, time)}
        done={done}
        busy={busy}
        takesFocus
        handle={codeStep}
        now={now}
        secondsUntilResend={() => client.secondsUntilResend(sent!.userId)}
        onCode={(code) => void run('verify', (signal) => verify(sent!.userId, code, signal))}
        onResend={(channel) => void resend(channel)}
        moreButtons={
          <button
            type="button"
            class="quiet"
            part="change"
            onClick={() => {
              setFailure(undefined);
              setStarted(true);
              setStep('number');
            }}
          >
            {texts.changeNumber}
          </button>
        }
      >
        {!hidesTitle && <h2 part="title">{texts.codeTitle}</h2>}
      </CodeEntry>
    );
  }
  return <Verified display={number.current?.display} />;
}

/**
 * Whether the service decided, so that it would give the same answer again. After any other failure the service
 * processes the request again.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof LedgerlineError && (error.kind === 'invalid' || error.kind === 'refused');
}

/** Whether there was no answer, or one of a proxy or of a failing service: the work may have been done. */
function isUnanswered(error: unknown): boolean {
  return error instanceof LedgerlineError && (error.kind === 'offline' || error.kind === 'unavailable');
}

function aboutOf({ display, channel, isUncertain }: SentTo, texts: VerifyFormTexts): string {
  if (isUncertain) return texts.codeMayArrive(display);
  if (channel === 'voice') return texts.calledAbout(display);
  return channel === 'whatsapp' ? texts.whatsAppAbout(display) : texts.codeAbout(display);
}

/** Nothing about a text of unknown outcome: the sentence above the field says it. */
function sentenceInCodeStep(failure: VerifyFailure, texts: VerifyFormTexts, time: number): string | undefined {
  return failure.kind === 'sendUnknown' ? undefined : verifySentence(failure, texts, time);
}

function Verified({ display }: { display: string | undefined }) {
  const { texts, change } = useForm();
  return (
    <Done part="verified" title={change && display !== undefined ? texts.changedTitle : texts.verifiedTitle}>
      <p class="soft" part="text">
        {display === undefined ? texts.verifiedBefore : texts.verified(display)}
      </p>
    </Done>
  );
}
