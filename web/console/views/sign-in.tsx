/** Signing in to the console: at the operator's identity provider if it is configured, else with a pasted token. */
import { useEffect, useState } from 'preact/hooks';
import { SignIn } from '../../pages/sign-in.tsx';
import {
  finishSignIn,
  hasAnswer,
  issuerSettings,
  SignInError,
  startSignIn,
  type IssuerSession,
  type IssuerSettings,
} from '../issuer-sign-in.ts';
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
  function fail(error: unknown): void {
    setPhase('ready');
    setComplaint(t.signIn.failed(sentenceOf(error)));
  }
  useEffect(() => {
    if (phase === 'finishing') finishSignIn(settings).then(onSession, fail);
  }, []);
  function start(): void {
    setPhase('opening');
    setComplaint(undefined);
    startSignIn(settings).catch(fail);
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
      <h2 class="or-token">{t.signIn.or}</h2>
    </>
  );
}

function sentenceOf(error: unknown): string {
  const failure = error instanceof SignInError ? error.failure : String(error);
  if (failure === 'wrong-state') return t.signIn.wrongState;
  return failure === 'unreachable' ? t.signIn.unreachable : failure;
}
