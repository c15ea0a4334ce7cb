/** Signing in to the console: at the operator's identity provider if it is configured, else with a pasted token. */
import { useEffect, useState } from 'preact/hooks';
import { SignIn } from '../../pages/sign-in.tsx';
import { hasAnswer, issuerSettings, type IssuerSettings } from '../issuer-settings.ts';
import type { IssuerSession } from '../issuer-sign-in.ts';
import { t } from '../texts.ts';

interface ConsoleSignInProps {
  /** Whether the service refused the last token. */
  isRefused: boolean;
  onToken(token: string): void;
  onSession(session: IssuerSession): void;
}

export function ConsoleSignIn({ isRefused, onToken, onSession }: ConsoleSignInProps) {
  const settings = issuerSettings();
  return (
    <SignIn about={t.signIn.tokenAbout} isRefused={isRefused} onToken={onToken}>
      {settings && <IssuerButton settings={settings} onSession={onSession} />}
    </SignIn>
  );
}

interface IssuerButtonProps {
  settings: IssuerSettings;
  onSession(session: IssuerSession): void;
}

type Phase = 'ready' | 'opening' | 'finishing';

function IssuerButton({ settings, onSession }: IssuerButtonProps) {
  const [phase, setPhase] = useState<Phase>(() => (hasAnswer() ? 'finishing' : 'ready'));
  const [complaint, setComplaint] = useState<string>();

  function fail(reason: string): void {
    setPhase('ready');
    setComplaint(t.signIn.failed(reason));
  }

  /** Only those who sign in at a provider load what it takes. */
  async function run(work: (flow: typeof import('../issuer-sign-in.ts')) => Promise<void>): Promise<void> {
    try {
      const flow = await import('../issuer-sign-in.ts');
      await work(flow).catch((error: unknown) => fail(sentenceOf(flow.failureOf(error))));
    } catch {
      fail(t.common.noAnswer);
    }
  }

  const finish = () =>
    run(async ({ finishSignIn }) => {
      const session = await finishSignIn(settings);
      if (session) onSession(session);
      else fail(t.signIn.wrongState);
    });
  useEffect(() => {
    if (phase === 'finishing') void finish();
  }, []);
  function start(): void {
    setPhase('opening');
    setComplaint(undefined);
    void run(({ startSignIn }) => startSignIn(settings));
  }
  const names = { ready: t.signIn.withIssuer, opening: t.signIn.opening, finishing: t.signIn.finishing };
  return (
    <>
      <p>{t.signIn.about}</p>
      {complaint && (
        <p class="complaint" role="alert">
          {complaint}
        </p>
      )}
      <button type="button" class="primary" disabled={phase !== 'ready'} onClick={start}>
        {names[phase]}
      </button>
      <h2>{t.signIn.or}</h2>
    </>
  );
}

function sentenceOf(failure: string): string {
  if (failure === 'wrong-state') return t.signIn.wrongState;
  return failure === 'unreachable' ? t.signIn.unreachable : failure;
}
