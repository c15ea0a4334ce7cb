/** The sandbox's page: an app on the left, a phone on the right, and the requests of the app below. */
import './worker-policy.ts';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  clientCredentials,
  createClient,
  type Client,
  type SandboxClock,
  type TokenSource,
} from '../../client/index.ts';
import { loadNumberRules } from '../phone/load-number-rules.ts';
import { LedgerlineVerify } from '../verify/element.tsx';
import type { SentDetail, StepDetail } from '../verify/ledgerline-verify.d.ts';
import { Clock } from './clock.tsx';
import { ExchangeList } from './exchange-list.tsx';
import { recordingFetch, type Exchange } from './exchanges.ts';
import { Header } from './header.tsx';
import { pageTextsOf } from '../languages/page-texts.ts';
import { describePage, pageLocale } from './page-locale.ts';
import { Phone, type AwaitedCode } from './phone.tsx';
import { texts } from './sandbox-page-texts.ts';

type Step = StepDetail['step'];

const elementName = '<ledgerline-verify>';
const [beforeElement, afterElement] = texts.about(elementName).split(elementName);

function SandboxPage() {
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const [aheadSeconds, setAheadSeconds] = useState(0);
  const ahead = useRef(0);
  const [awaited, setAwaited] = useState<AwaitedCode>();
  const [phoneNumber, setPhoneNumber] = useState<string>();
  const [step, setStep] = useState<Step>('number');
  const app = useMemo(() => new LedgerlineVerify(), []);
  const recorded = useMemo(() => recordingFetch((exchange) => setExchanges((earlier) => [exchange, ...earlier])), []);
  const token = useMemo(
    () => clientCredentials({ baseUrl: '', clientId: 'sandbox', clientSecret: 'sandbox', fetch: recorded }),
    [],
  );
  const client = useMemo(() => createClient({ token, fetch: recorded, retries: 1 }), []);
  const now = () => Date.now() + ahead.current * 1000;

  function clockMoved(reading: SandboxClock): void {
    ahead.current = reading.aheadSeconds;
    setAheadSeconds(reading.aheadSeconds);
  }

  useEffect(() => {
    // The clock may have been moved before the page was opened. Without an answer it shows the machine's time.
    createClient()
      .sandbox.advanceClock(0)
      .then(clockMoved, () => undefined);
  }, []);

  function onSent({ phoneNumber: number, expiresInSeconds = 0 }: SentDetail): void {
    setPhoneNumber(number);
    setAwaited({ expiresAt: now() + expiresInSeconds * 1000 });
  }

  function onStep(next: Step): void {
    setStep(next);
    if (next === 'verified') setAwaited(undefined);
  }

  function startOver(): void {
    setPhoneNumber(undefined);
    app.reset();
  }

  return (
    <>
      <Header here="sandbox" locale={pageLocale} />
      <main class="stage" id="content">
        <div class="intro">
          <h1>{texts.title}</h1>
          <p>
            {beforeElement}
            <code dir="ltr">{elementName}</code>
            {afterElement}
          </p>
        </div>
        <div class="left">
          <App
            app={app}
            client={client}
            token={token}
            recorded={recorded}
            now={now}
            step={step}
            onSent={onSent}
            onStep={onStep}
            onStartOver={startOver}
          />
          <Clock client={client} aheadSeconds={aheadSeconds} onMoved={clockMoved} />
          <ExchangeList exchanges={exchanges} />
        </div>
        <Phone
          phoneNumber={phoneNumber}
          aheadSeconds={aheadSeconds}
          awaited={awaited}
          onUse={(code) => app.enterCode(code)}
        />
      </main>
    </>
  );
}

interface AppProps {
  app: LedgerlineVerify;
  client: Client;
  token: TokenSource;
  recorded: typeof fetch;
  now(): number;
  step: Step;
  onSent(detail: SentDetail): void;
  onStep(step: Step): void;
  onStartOver(): void;
}

const steps: Step[] = ['number', 'code', 'verified'];

function App({ app, client, token, recorded, now, step, onSent, onStep, onStartOver }: AppProps) {
  const box = useRef<HTMLDivElement>(null);
  const userId = useRef<number>(undefined);

  useLayoutEffect(() => {
    app.setAttribute('locale', pageLocale);
    app.fetch = recorded;
    app.now = now;
    // A user can have one phone. In a real app the back end has created the user long before.
    app.getUserId = async () => (userId.current ??= (await client.createUser()).id);
    app.getToken = token;
    app.addEventListener('sent', (event) => onSent((event as CustomEvent<SentDetail>).detail));
    app.addEventListener('step', (event) => onStep((event as CustomEvent<StepDetail>).detail.step));
    box.current!.append(app);
  }, []);

  async function useExample(): Promise<void> {
    const { randomNumberOf } = await loadNumberRules();
    app.enterNumber(randomNumberOf(app.chosenCountry ?? 'GB'));
  }

  return (
    <section class="app card" aria-label={texts.app}>
      <ol class="steps" aria-label={texts.steps}>
        {steps.map((name, index) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            <span>{(index + 1).toLocaleString(pageLocale)}</span>
            {texts.stepNames[name]}
          </li>
        ))}
      </ol>
      <div ref={box} />
      <div class="buttons">
        {step === 'number' && (
          <button type="button" class="quiet small" onClick={() => void useExample()}>
            {texts.example}
          </button>
        )}
        {step === 'verified' && (
          <>
            <button
              type="button"
              class="primary"
              onClick={() => {
                userId.current = undefined;
                onStartOver();
              }}
            >
              {texts.startOver}
            </button>
            <a class="quiet" href="/wallet">
              {texts.wallet}
            </a>
          </>
        )}
      </div>
    </section>
  );
}

describePage(pageTextsOf(pageLocale).sandbox);
render(<SandboxPage />, document.getElementById('page')!);
