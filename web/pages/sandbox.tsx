/** The sandbox's page: an app on the left, a phone on the right, and the requests of the app below. */
import './worker-policy.ts';
import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createClient, type Client, type SandboxClock, type TokenSource } from '../../client/index.ts';
import { Icon } from '../ui/icons.tsx';
import { loadNumberRules } from '../intl/load-number-rules.ts';
import type { LedgerlineVerify } from '../elements/verify/element.tsx';
import type { SentDetail, StepDetail } from '../elements/verify/details.ts';
import { ChangeNumber } from './change-number.tsx';
import { Clock } from './clock.tsx';
import type { CodeListener, Outcome } from './confirm-form.tsx';
import { ExchangeList } from './exchange-list.tsx';
import { recordingFetch, type Exchange } from './exchanges.ts';
import { Header } from './header.tsx';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { describePage, pageLocale } from './page-locale.ts';
import { payLabel, Payment } from './payment.tsx';
import { Phone, type AwaitedCode } from './phone.tsx';
import { sandboxToken } from './sandbox-token.ts';
import { texts } from './sandbox-page-texts.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

const elementName = '<ledgerline-verify>';
const [beforeElement, afterElement] = texts.about(elementName).split(elementName);

function SandboxPage() {
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const [aheadSeconds, setAheadSeconds] = useState(0);
  const ahead = useRef(0);
  const [code, setCode] = useState<AwaitedCode>();
  const enterCode = useRef<(code: string) => void>(undefined);
  const [phoneNumber, setPhoneNumber] = useState<string>();
  const recorded = useMemo(() => recordingFetch((exchange) => setExchanges((earlier) => [exchange, ...earlier])), []);
  const token = useMemo(() => sandboxToken({ fetch: recorded }), []);
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
            client={client}
            token={token}
            recorded={recorded}
            now={now}
            phoneNumber={phoneNumber}
            onPhone={setPhoneNumber}
            onSent={({ expiresInSeconds, enter }) => {
              enterCode.current = enter;
              setCode({ expiresAt: now() + expiresInSeconds * 1000 });
            }}
            onBegin={() => setCode(undefined)}
            onEnded={(outcome) => setCode((before) => before && { ...before, outcome })}
          />
          <Clock client={client} aheadSeconds={aheadSeconds} onMoved={clockMoved} />
          <ExchangeList exchanges={exchanges} />
        </div>
        <Phone
          phoneNumber={phoneNumber}
          aheadSeconds={aheadSeconds}
          awaited={code}
          onUse={(text) => enterCode.current?.(text)}
        />
      </main>
    </>
  );
}

interface AppProps extends CodeListener {
  client: Client;
  token: TokenSource;
  recorded: typeof fetch;
  now(): number;
  /** The number whose phone is shown. */
  phoneNumber: string | undefined;
  onPhone(phoneNumber: string | undefined): void;
  /** Another act begins: the code of the last one is no longer asked for. */
  onBegin(): void;
}

const acts = ['verify', 'pay', 'change'] as const;
type ActName = (typeof acts)[number];

function App(props: AppProps) {
  const { client, token, recorded, now, phoneNumber, onPhone, onSent } = props;
  const [act, setAct] = useState<ActName>('verify');
  /** How many times an act was begun: each time it starts anew. */
  const [run, setRun] = useState(0);
  /** How the act ended. */
  const [outcome, setOutcome] = useState<Outcome>();
  /** The form that asks for a number at the moment. */
  const [numberForm, setNumberForm] = useState<LedgerlineVerify>();
  const userId = useRef<number>(undefined);
  const verifyForm = useRef<LedgerlineVerify>(null);
  const channels = useChannels();
  const shared = { client, now, phoneNumber, channels, onSent, onEnded };

  /** A user can have one phone. In a real app the back end has created the user long before. */
  const getUserId = useCallback(async () => (userId.current ??= (await client.createUser()).id), []);

  function onEnded(ended: Outcome): void {
    props.onEnded(ended);
    setOutcome(ended);
  }

  function begin(next: ActName): void {
    props.onBegin();
    setAct(next);
    setRun(run + 1);
    setOutcome(undefined);
  }

  function startOver(): void {
    userId.current = undefined;
    onPhone(undefined);
    verifyForm.current!.reset();
    begin('verify');
  }

  async function useExample(form: LedgerlineVerify): Promise<void> {
    const { randomNumberOf } = await loadNumberRules();
    form.enterNumber(randomNumberOf(form.chosenCountry ?? 'GB'));
  }

  return (
    <section class={`app card${outcome ? ' ended' : ''}`} aria-label={texts.app}>
      <ActList act={act} isDone={outcome === 'used'} />
      <div hidden={act !== 'verify'}>
        <ledgerline-verify
          ref={verifyForm}
          locale={pageLocale}
          channels={channels}
          fetch={recorded}
          now={now}
          getUserId={getUserId}
          getToken={token}
          onledgerline-sent={({ detail: { phoneNumber: sentTo, expiresInSeconds = 0 } }: CustomEvent<SentDetail>) => {
            onPhone(sentTo);
            onSent({ expiresInSeconds, enter: (code) => verifyForm.current!.enterCode(code) });
          }}
          onledgerline-step={({ detail: { step } }: CustomEvent<StepDetail>) => {
            setNumberForm(step === 'number' ? verifyForm.current! : undefined);
            if (step === 'verified') onEnded('used');
          }}
        />
      </div>
      {act === 'pay' && <Payment key={run} {...shared} userId={userId.current!} />}
      {act === 'change' && (
        <ChangeNumber
          key={run}
          {...shared}
          userId={userId.current!}
          token={token}
          fetch={recorded}
          onForm={setNumberForm}
          onSentTo={onPhone}
          // The confirmation is only half of it.
          onEnded={(ended) => (ended === 'used' ? props.onEnded(ended) : onEnded(ended))}
          onChanged={() => setOutcome('used')}
        />
      )}
      <div class="buttons">
        {numberForm && <QuietButton onClick={() => void useExample(numberForm)}>{texts.example}</QuietButton>}
        {outcome && <NextButtons act={act} isDone={outcome === 'used'} onBegin={begin} onStartOver={startOver} />}
      </div>
    </section>
  );
}

function ActList({ act, isDone }: { act: ActName; isDone: boolean }) {
  const at = acts.indexOf(act) + (isDone ? 1 : 0);
  return (
    <ol class="steps" aria-label={texts.steps}>
      {acts.map((name, index) => (
        <li key={name} class={index < at ? 'done' : ''} aria-current={name === act && index >= at ? 'step' : undefined}>
          <span>{index < at ? <Icon name="check" /> : (index + 1).toLocaleString(pageLocale)}</span>
          {texts.acts[name]}
        </li>
      ))}
    </ol>
  );
}

interface NextButtonsProps {
  act: ActName;
  isDone: boolean;
  onBegin(act: ActName): void;
  onStartOver(): void;
}

/** First what comes next: the next act, or the same again if it did not succeed. */
function NextButtons({ act, isDone, onBegin, onStartOver }: NextButtonsProps) {
  const pay = { label: act === 'verify' ? payLabel : texts.payAgain, onClick: () => onBegin('pay') };
  const change = { label: texts.acts.change, onClick: () => onBegin('change') };
  const startOver = { label: texts.startOver, onClick: onStartOver };
  const buttons = {
    verify: [pay, startOver],
    pay: isDone ? [change, pay, startOver] : [pay, change, startOver],
    change: isDone ? [startOver, pay] : [change, pay, startOver],
  }[act];
  return (
    <>
      {buttons.map(({ label, onClick }, index) => (
        <button type="button" key={label} class={index === 0 ? 'primary' : 'quiet'} onClick={onClick}>
          {label}
        </button>
      ))}
      <a class="quiet" href="/wallet">
        {texts.wallet}
      </a>
    </>
  );
}

/** The channels that the service allows in some country, from the setting that it was started with. */
function useChannels(): string {
  const [channels, setChannels] = useState('');
  useEffect(() => {
    // Without an answer the forms offer the usual way only.
    createClient({ token: sandboxToken() })
      .operator.settings()
      .then(
        ({ settings }) => {
          const { value } = settings.find(({ name }) => name === 'LEDGERLINE_CHANNELS') ?? {};
          setChannels((value ?? '').replaceAll(/[^;=]*=/g, '').replaceAll(';', ','));
        },
        () => undefined,
      );
  }, []);
  return channels;
}

describePage(pageTexts.of(pageLocale).sandbox);
render(<SandboxPage />, document.getElementById('page')!);
