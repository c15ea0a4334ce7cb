/** The phone of the user: texts, calls and messages in WhatsApp arrive by themselves. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { createClient, type SandboxMessage } from '../../client/index.ts';
import { Icon } from '../ui/icons.tsx';
import { useTime } from './clock.tsx';
import type { Outcome } from './confirm-form.tsx';
import { pageLocale } from './page-locale.ts';
import { texts } from './sandbox-page-texts.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

const pollMilliseconds = 1000;
const shownMessages = 30;

/** The code that the app asked for last. */
export interface AwaitedCode {
  /** By the service's clock, in milliseconds. */
  expiresAt: number;
  /** How it ended, once the app no longer waits for it. */
  outcome?: Outcome;
}

interface PhoneProps {
  phoneNumber: string | undefined;
  aheadSeconds: number;
  awaited: AwaitedCode | undefined;
  onUse(code: string): void;
}

export function Phone({ phoneNumber, aheadSeconds, awaited, onUse }: PhoneProps) {
  const messages = useMessages(phoneNumber);
  const isExpired = useIsPast(awaited?.expiresAt, aheadSeconds);
  const endedStates = useEndedStates(messages, awaited?.outcome);
  // Drawn again only when a text arrives or a code changes its state, not with the clock.
  const list = useMemo(
    () => (
      <ul aria-live="polite" aria-label={texts.texts}>
        {messages.map((message, index) => (
          <li key={keyOf(message)} class={message.channel}>
            <p class="from">
              <span>
                <bdi>{phoneNumber ? 'Ledgerline' : message.phoneNumber}</bdi>
                <ChannelMark channel={message.channel} />
              </span>
              <time dateTime={message.sentAt}>{timeOf(new Date(message.sentAt))}</time>
            </p>
            <p dir="auto">{message.channel === 'voice' ? <q>{spokenWords(message)}</q> : message.text}</p>
            {message.channel === 'voice' && <PlayButton words={spokenWords(message)} />}
            {phoneNumber && message.code !== null && (
              <CodeAction
                code={message.code}
                state={endedStates.get(keyOf(message)) ?? stateOf(index, messages, awaited, isExpired)}
                onUse={() => onUse(message.code!)}
              />
            )}
          </li>
        ))}
      </ul>
    ),
    [messages, phoneNumber, awaited, isExpired, endedStates],
  );
  return (
    <section class="phone" aria-label={texts.phone}>
      <div class="glass" role="group" aria-label={texts.screen} tabIndex={0}>
        <StatusBar aheadSeconds={aheadSeconds} />
        <h2>{texts.messages}</h2>
        <p class="owner">{phoneNumber ? <bdi>{phoneNumber}</bdi> : texts.allNumbers}</p>
        {list}
        {messages.length === 0 && <p class="none">{texts.noTexts}</p>}
      </div>
    </section>
  );
}

function ChannelMark({ channel }: { channel: SandboxMessage['channel'] }) {
  if (channel === 'sms') return null;
  return (
    <span class="channel">
      {channel === 'voice' && <Icon name="call" />}
      {channel === 'voice' ? texts.call : 'WhatsApp'}
    </span>
  );
}

/** What a call says: without the lines that only a phone reads, and the digits of the code one by one. */
function spokenWords({ text, code }: SandboxMessage): string {
  const words = text.split('\n\n')[0]!;
  return code === null ? words : words.replaceAll(code, Array.from(code).join(', '));
}

/** Speaks the words, if the browser can. */
function PlayButton({ words }: { words: string }) {
  if (!('speechSynthesis' in window)) return null;
  const play = () => {
    speechSynthesis.cancel();
    speechSynthesis.speak(new SpeechSynthesisUtterance(words));
  };
  return <QuietButton onClick={play}>{texts.play}</QuietButton>;
}

const timeOf = (instant: Date) => instant.toLocaleTimeString(pageLocale, { hour: 'numeric', minute: '2-digit' });

function StatusBar({ aheadSeconds }: { aheadSeconds: number }) {
  return (
    <p class="status-bar" aria-hidden="true">
      <span>{timeOf(useTime(aheadSeconds))}</span>
      <span class="island" />
      <span class="signal">
        <i />
        <i />
        <i />
        <i />
      </span>
    </p>
  );
}

/** Whether a time has passed by the service's clock. */
function useIsPast(time: number | undefined, aheadSeconds: number): boolean {
  const remaining = () => (time === undefined ? Number.POSITIVE_INFINITY : time - Date.now() - aheadSeconds * 1000);
  const [isPast, setPast] = useState(false);
  useEffect(() => {
    setPast(remaining() <= 0);
    if (time === undefined || remaining() <= 0) return;
    const timer = setTimeout(() => setPast(true), remaining());
    return () => clearTimeout(timer);
  }, [time, aheadSeconds]);
  return isPast;
}

type CodeState = 'valid' | 'replaced' | 'repeated' | Outcome;

/** Only the newest code counts, and only until it is used or expires. */
function stateOf(
  index: number,
  messages: SandboxMessage[],
  awaited: AwaitedCode | undefined,
  isExpired: boolean,
): CodeState {
  if (index > 0) return messages[index]!.code === messages[0]!.code ? 'repeated' : 'replaced';
  return awaited?.outcome ?? (isExpired ? 'expired' : 'valid');
}

/** The states of the codes that the app no longer waited for when another one was sent. */
function useEndedStates(messages: SandboxMessage[], outcome: Outcome | undefined): ReadonlyMap<string, CodeState> {
  const [ended, setEnded] = useState<ReadonlyMap<string, CodeState>>(new Map());
  useEffect(() => {
    const newest = messages[0]?.code;
    if (outcome === undefined || newest === undefined) return;
    setEnded((before) => {
      const added = messages.filter((message) => !before.has(keyOf(message)));
      if (added.length === 0) return before;
      const stateAtEnd = ({ code }: SandboxMessage): CodeState => (code === newest ? outcome : 'replaced');
      return new Map([...before, ...added.map((message) => [keyOf(message), stateAtEnd(message)] as const)]);
    });
  }, [messages, outcome]);
  return ended;
}

function CodeAction({ code, state, onUse }: { code: string; state: CodeState; onUse(): void }) {
  if (state !== 'valid') return <p class="note">{texts.codeStates[state]}</p>;
  return <QuietButton onClick={onUse}>{texts.useCode(code)}</QuietButton>;
}

const keyOf = ({ sentAt, phoneNumber, code, channel }: SandboxMessage) => `${sentAt} ${phoneNumber} ${code} ${channel}`;

/** The newest messages. Returns the same array until something changes, so that nothing is drawn or read out again. */
function useMessages(phoneNumber: string | undefined): SandboxMessage[] {
  const [messages, setMessages] = useState<SandboxMessage[]>([]);
  useEffect(() => {
    const client = createClient({ retries: 0 });
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    async function look(): Promise<void> {
      if (!document.hidden) {
        const found = await client.sandbox.messages(phoneNumber, { signal: controller.signal }).catch(() => undefined);
        if (controller.signal.aborted) return;
        const shown = found?.slice(0, shownMessages);
        if (shown) setMessages((before) => (isSame(before, shown) ? before : shown));
      }
      timer = setTimeout(look, pollMilliseconds);
    }
    setMessages([]);
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [phoneNumber]);
  return messages;
}

function isSame(before: SandboxMessage[], after: SandboxMessage[]): boolean {
  return before.length === after.length && before.every((message, index) => keyOf(message) === keyOf(after[index]!));
}
