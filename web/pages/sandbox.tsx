/** The sandbox's page: an app on the left, a phone on the right, and what passes between app and service below. */
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  clientCredentials,
  createClient,
  isE164,
  LedgerlineError,
  type Client,
  type SandboxClock,
  type SandboxMessage,
} from '../../client/index.ts';
import { Icon } from '../activity/icons.tsx';
import { countries, homeCountry, toE164 } from './countries.ts';
import { recordingFetch, type Exchange } from './exchanges.ts';
import { Header } from './header.tsx';

const codeDigits = 6;
const pollMilliseconds = 1000;

type Step = 'number' | 'code' | 'verified';

interface Account {
  userId: number;
  phoneNumber: string;
}

function SandboxPage() {
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const [clock, setClock] = useState<SandboxClock>();
  const ahead = useRef(0);
  const client = useMemo(() => {
    const fetch = recordingFetch((exchange) => setExchanges((earlier) => [exchange, ...earlier]));
    return createClient({
      token: clientCredentials({ baseUrl: '', clientId: 'sandbox', clientSecret: 'sandbox', fetch }),
      fetch,
      retries: 1,
      // The cool-down goes by the clock that this page moves.
      now: () => Date.now() + ahead.current * 1000,
    });
  }, []);
  const [account, setAccount] = useState<Account>();
  const [offered, setOffered] = useState('');

  /** What was tapped for one number is not for the next. */
  function changeAccount(next: Account | undefined): void {
    setOffered('');
    setAccount(next);
  }

  function clockMoved(reading: SandboxClock): void {
    ahead.current = reading.aheadSeconds;
    setClock(reading);
  }

  useEffect(() => {
    createClient()
      .sandbox.advanceClock(0)
      .then(clockMoved, () => {});
  }, []);

  return (
    <>
      <Header here="sandbox" />
      <main class="stage">
        <div class="intro">
          <h1>Verify a phone, the way your users will</h1>
          <p>
            The form is an app. The phone is your user’s. Every call the app makes stands below as curl, so you can make
            it yourself.
          </p>
        </div>
        <div class="left">
          <App client={client} offered={offered} onAccount={changeAccount} clockSeconds={clock?.aheadSeconds ?? 0} />
          <Clock client={client} reading={clock} onMoved={clockMoved} />
          <Exchanges exchanges={exchanges} />
        </div>
        <Phone phoneNumber={account?.phoneNumber} aheadSeconds={clock?.aheadSeconds ?? 0} onUse={setOffered} />
      </main>
    </>
  );
}

interface AppProps {
  client: Client;
  /** A code that was tapped on the phone. */
  offered: string;
  /** Changes when the clock moves, and the countdown with it. */
  clockSeconds: number;
  onAccount(account: Account | undefined): void;
}

function App({ client, offered, clockSeconds, onAccount }: AppProps) {
  const [step, setStep] = useState<Step>('number');
  const [account, setAccount] = useState<Account>();
  const userId = useRef<number>(undefined);

  function startOver(): void {
    userId.current = undefined;
    setAccount(undefined);
    onAccount(undefined);
    setStep('number');
  }

  /** The back end of a real app made the user long ago; here it is made when it is needed. */
  async function send(phoneNumber: string): Promise<void> {
    userId.current ??= (await client.createUser()).id;
    const next = { userId: userId.current, phoneNumber };
    setAccount(next);
    onAccount(next);
    await client.sendCode({ id: userId.current, phoneNumber });
    setStep('code');
  }

  return (
    <section class="app card" aria-label="App">
      <ol class="steps" aria-label="Steps">
        {(['number', 'code', 'verified'] as const).map((name, index) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            <span>{index + 1}</span>
            {{ number: 'Number', code: 'Code', verified: 'Done' }[name]}
          </li>
        ))}
      </ol>
      {step === 'number' && <NumberForm known={account?.phoneNumber} onSend={send} />}
      {step === 'code' && (
        <CodeForm
          client={client}
          account={account!}
          offered={offered}
          clockSeconds={clockSeconds}
          onChangeNumber={() => setStep('number')}
          onVerified={() => setStep('verified')}
        />
      )}
      {step === 'verified' && <Verified client={client} account={account!} onStartOver={startOver} />}
    </section>
  );
}

function NumberForm({ known, onSend }: { known: string | undefined; onSend(phoneNumber: string): Promise<void> }) {
  const [country, setCountry] = useState(() => homeCountry(navigator.languages));
  const [typed, setTyped] = useState(known ?? '');
  const [complaint, setComplaint] = useState<string>();
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const phoneNumber = toE164(country, typed);
    if (!isE164(phoneNumber)) {
      setComplaint('That does not look like a phone number. Check the country and the digits.');
      input.current!.focus();
      return;
    }
    setBusy(true);
    setComplaint(undefined);
    try {
      await onSend(phoneNumber);
    } catch (error) {
      setBusy(false);
      setComplaint(inWords(error));
      input.current!.focus();
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <h2>What is your number?</h2>
      <p class="soft">We text you a code to make sure that it is yours.</p>
      <div class="number">
        <label>
          Country
          <select
            value={country.code}
            autoComplete="country"
            onChange={(event) => setCountry(countries.find(({ code }) => code === event.currentTarget.value)!)}
          >
            {countries.map(({ code, name, callingCode }) => (
              <option key={code} value={code}>
                {name} (+{callingCode})
              </option>
            ))}
          </select>
        </label>
        <label>
          Phone number
          <input
            ref={input}
            type="tel"
            autoComplete="tel"
            value={typed}
            placeholder={country.example}
            aria-invalid={complaint !== undefined}
            aria-describedby={complaint ? 'number-complaint' : undefined}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      </div>
      {complaint && (
        <p class="complaint" role="alert" id="number-complaint">
          {complaint}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          Send code
        </button>
        {typed === '' && (
          <button type="button" class="quiet" onClick={() => setTyped(country.example)}>
            Use an example
          </button>
        )}
      </div>
    </form>
  );
}

interface CodeFormProps {
  client: Client;
  account: Account;
  offered: string;
  clockSeconds: number;
  onChangeNumber(): void;
  onVerified(): void;
}

function CodeForm({ client, account, offered, clockSeconds, onChangeNumber, onVerified }: CodeFormProps) {
  const { userId, phoneNumber } = account;
  const [code, setCode] = useState('');
  const [complaint, setComplaint] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [waitSeconds, setWaitSeconds] = useState(() => client.secondsUntilResend(userId));
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => input.current!.focus({ preventScroll: true }), []);
  useEffect(() => {
    const look = () => setWaitSeconds(client.secondsUntilResend(userId));
    look();
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  }, [clockSeconds]);
  // The same code may be tapped twice; it comes with a mark that is never the same.
  useEffect(() => {
    if (offered) enter(offered.split(' ')[0]!);
  }, [offered]);

  function enter(text: string): void {
    const digits = text.replace(/\D/g, '').slice(0, codeDigits);
    setCode(digits);
    if (digits.length === codeDigits) void verify(digits);
  }

  async function verify(digits: string): Promise<void> {
    setBusy(true);
    setComplaint(undefined);
    try {
      await client.verify({ id: userId, code: digits });
      onVerified();
    } catch (error) {
      setComplaint(inWords(error));
      setCode('');
    }
    setBusy(false);
    input.current?.focus({ preventScroll: true });
  }

  async function resend(): Promise<void> {
    setComplaint(undefined);
    try {
      await client.resendCode(userId);
      setCode('');
    } catch (error) {
      setComplaint(inWords(error));
    }
    setWaitSeconds(client.secondsUntilResend(userId));
    input.current?.focus({ preventScroll: true });
  }

  function submit(event: Event): void {
    event.preventDefault();
    if (code.length < codeDigits) setComplaint(`The code has ${codeDigits} digits.`);
    else void verify(code);
  }

  return (
    <form onSubmit={submit} noValidate>
      <h2>Enter the code</h2>
      <p class="soft">
        We sent it to <span class="phone-number">{phoneNumber}</span>. It is good for ten minutes.
      </p>
      <div class="code">
        <label for="code" class="unseen">
          Code
        </label>
        <input
          ref={input}
          id="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\d*"
          value={code}
          readOnly={busy}
          aria-invalid={complaint !== undefined}
          aria-describedby={complaint ? 'code-complaint' : undefined}
          onInput={(event) => {
            enter(event.currentTarget.value);
            event.currentTarget.value = event.currentTarget.value.replace(/\D/g, '').slice(0, codeDigits);
          }}
        />
        <div class="boxes" aria-hidden="true">
          {Array.from({ length: codeDigits }, (_, index) => (
            <span key={index} class={index === code.length ? 'next' : ''}>
              {code[index]}
            </span>
          ))}
        </div>
      </div>
      {complaint && (
        <p class="complaint" role="alert" id="code-complaint">
          {complaint}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          Verify
        </button>
        <button type="button" class="quiet" disabled={waitSeconds > 0} onClick={resend}>
          {waitSeconds > 0 ? `Resend in ${waitSeconds} s` : 'Resend code'}
        </button>
        <button type="button" class="quiet" onClick={onChangeNumber}>
          Change number
        </button>
      </div>
    </form>
  );
}

interface VerifiedProps {
  client: Client;
  account: Account;
  onStartOver(): void;
}

function Verified({ client, account: { userId }, onStartOver }: VerifiedProps) {
  const [phoneNumber, setPhoneNumber] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current!.focus({ preventScroll: true });
    client.userStatus(userId).then(
      (status) => setPhoneNumber(status.phoneNumber),
      () => {},
    );
  }, []);
  return (
    <div class="verified">
      <span class="seal">
        <Icon name="check" />
      </span>
      <h2 ref={heading} tabIndex={-1}>
        Verified
      </h2>
      <p class="soft">
        {phoneNumber && <span class="phone-number">{phoneNumber}</span>} belongs to user {userId} now, and to nobody
        else.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={onStartOver}>
          Start over
        </button>
        <a class="quiet" href="/wallet">
          See a wallet
        </a>
      </div>
    </div>
  );
}

/** What an app says to a person, rather than what an API says to an app. */
function inWords(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return 'Something went wrong. Try again.';
  if (error.kind === 'too-many') return `Too many tries. Try again in ${inTime(error.retryAfterSeconds ?? 60)}.`;
  if (error.kind === 'offline') return 'The service cannot be reached. Check that it runs.';
  if (error.kind === 'unavailable') return 'The text could not be sent just now. Try again in a moment.';
  if ('PhoneNumber' in error.errors) return 'That does not look like a phone number.';
  const sentences: Partial<Record<string, string>> = {
    'invalid-code': 'That code is not right, or no longer good. Check the text, or ask for a new one.',
    'phone-taken': 'This number belongs to another account. Use a different one.',
    'phone-not-supported': 'We cannot send texts to this number. Use a different one.',
  };
  return sentences[error.reason ?? ''] ?? error.message;
}

function inTime(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

interface ClockProps {
  client: Client;
  reading: SandboxClock | undefined;
  onMoved(reading: SandboxClock): void;
}

const leaps = [
  ['+1 min', 60],
  ['+10 min', 600],
  ['+1 hour', 3600],
  ['+1 day', 86_400],
] as const;

function Clock({ client, reading, onMoved }: ClockProps) {
  const ahead = reading?.aheadSeconds ?? 0;
  const now = useTime(ahead);
  const advance = (seconds: number) => client.sandbox.advanceClock(seconds).then(onMoved, () => {});
  const reset = () =>
    client.sandbox.resetClock().then(
      () => onMoved({ now: new Date().toISOString(), aheadSeconds: 0 }),
      () => {},
    );
  return (
    <section class="clock card" aria-label="The service’s clock">
      <div>
        <h2>The service’s clock</h2>
        <p>
          <time dateTime={now.toISOString()}>
            {now.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })}
          </time>
          {ahead > 0 && <span class="ahead"> {inTime(ahead)} ahead</span>}
        </p>
      </div>
      <div class="buttons">
        {leaps.map(([name, seconds]) => (
          <button type="button" class="pill small" key={name} onClick={() => advance(seconds)}>
            {name}
          </button>
        ))}
        <button type="button" class="quiet small" disabled={ahead === 0} onClick={reset}>
          Put back
        </button>
      </div>
    </section>
  );
}

function useTime(aheadSeconds: number): Date {
  const read = () => new Date(Date.now() + aheadSeconds * 1000);
  const [now, setNow] = useState(read);
  useEffect(() => {
    setNow(read());
    const timer = setInterval(() => setNow(read()), 1000);
    return () => clearInterval(timer);
  }, [aheadSeconds]);
  return now;
}

interface PhoneProps {
  phoneNumber: string | undefined;
  aheadSeconds: number;
  onUse(code: string): void;
}

/** Texts arrive as they would: by themselves. */
function Phone({ phoneNumber, aheadSeconds, onUse }: PhoneProps) {
  const [messages, setMessages] = useState<SandboxMessage[]>([]);
  const now = useTime(aheadSeconds);

  useEffect(() => {
    const client = createClient({ retries: 0 });
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    async function look(): Promise<void> {
      if (!document.hidden) {
        const found = await client.sandbox.messages(phoneNumber, { signal: controller.signal }).catch(() => undefined);
        if (controller.signal.aborted) return;
        // What is the same is left alone, so that nothing is drawn or read out again.
        if (found) setMessages((earlier) => (earlier.length === found.length ? earlier : found.slice(0, 30)));
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

  return (
    <section class="phone" aria-label="Phone">
      <div class="glass" role="group" aria-label="Screen" tabIndex={0}>
        <p class="status-bar" aria-hidden="true">
          <span>{now.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })}</span>
          <span class="island" />
          <span class="signal">
            <i />
            <i />
            <i />
            <i />
          </span>
        </p>
        <h2>Messages</h2>
        <p class="owner">{phoneNumber ?? 'All numbers of this sandbox'}</p>
        <ul aria-live="polite" aria-label="Texts">
          {messages.map((message) => (
            <li key={`${message.sentAt} ${message.code}`}>
              <p class="from">
                <span>{phoneNumber ? 'Ledgerline' : message.phoneNumber}</span>
                <time dateTime={message.sentAt}>
                  {new Date(message.sentAt).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })}
                </time>
              </p>
              <p>{message.text}</p>
              {phoneNumber && (
                <button type="button" class="quiet small" onClick={() => onUse(`${message.code} ${Date.now()}`)}>
                  Use {message.code}
                </button>
              )}
            </li>
          ))}
        </ul>
        {messages.length === 0 && <p class="none">Texts arrive here.</p>}
      </div>
    </section>
  );
}

function Exchanges({ exchanges }: { exchanges: Exchange[] }) {
  return (
    <section class="exchanges" aria-label="Calls">
      <h2>What the app calls</h2>
      {exchanges.length === 0 && <p class="soft">Send a code, and the calls appear here, ready to copy.</p>}
      <ol>
        {exchanges.map((exchange) => (
          <li key={exchange.id} class="card">
            <ExchangeCard exchange={exchange} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function ExchangeCard({ exchange: { method, path, curl, status, headers, body } }: { exchange: Exchange }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(curl).then(
      () => setCopied(true),
      () => {},
    );
    setTimeout(() => setCopied(false), 2000);
  }
  return (
    <>
      <header>
        <h3>
          <span class="method">{method}</span> <code>{path}</code>
        </h3>
        <span class={status < 300 ? 'outcome good' : 'outcome bad'}>{status}</span>
        <button type="button" class="quiet small" aria-label={`Copy curl for ${method} ${path}`} onClick={copy}>
          <Icon name={copied ? 'check' : 'copy'} />
          {copied ? 'Copied' : 'Copy'}
        </button>
      </header>
      <pre tabIndex={0} aria-label="curl">
        {curl}
      </pre>
      {(headers.length > 0 || body) && (
        <pre class="answer" tabIndex={0} aria-label="Answer">
          {[...headers, body].filter(Boolean).join('\n')}
        </pre>
      )}
    </>
  );
}

render(<SandboxPage />, document.getElementById('page')!);
