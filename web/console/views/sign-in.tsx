/** Signing in to the console: at the operator's identity provider if it is configured, else with a pasted token. */
import { useEffect, useState } from 'preact/hooks';
import { SignIn } from '../../pages/sign-in.tsx';
import { hasAnswer, issuerSettings, type IssuerSettings } from '../issuer-settings.ts';
import type { IssuerSession } from '../issuer-sign-in.ts';

interface ConsoleSignInProps {
  /** Whether the service refused the last token. */
  isRefused: boolean;
  onToken(token: string): void;
  onSession(session: IssuerSession): void;
}

export function ConsoleSignIn({ isRefused, onToken, onSession }: ConsoleSignInProps) {
  const settings = issuerSettings();
  return (
    <SignIn
      about="Paste an access token with operator:read; changes need operator:write, those of webhooks events:write. What you do is recorded under its name."
      isRefused={isRefused}
      onToken={onToken}
    >
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
    setComplaint(`The sign-in failed: ${reason}`);
  }

  /** Only those who sign in at a provider load what it takes. */
  async function run(work: (flow: typeof import('../issuer-sign-in.ts')) => Promise<void>): Promise<void> {
    try {
      const flow = await import('../issuer-sign-in.ts');
      await work(flow).catch((error: unknown) => fail(sentenceOf(flow.failureOf(error))));
    } catch {
      fail('The service does not answer.');
    }
  }

  const finish = () =>
    run(async ({ finishSignIn }) => {
      const session = await finishSignIn(settings);
      if (session) onSession(session);
      else fail('the answer does not belong to this page. Start again.');
    });
  useEffect(() => {
    if (phase === 'finishing') void finish();
  }, []);
  function start(): void {
    setPhase('opening');
    setComplaint(undefined);
    void run(({ startSignIn }) => startSignIn(settings));
  }
  const names = {
    ready: 'Sign in with your account',
    opening: 'Opening the sign-in page …',
    finishing: 'Signing in …',
  };
  return (
    <>
      <p>What you do is recorded under your name.</p>
      {complaint && (
        <p class="complaint" role="alert">
          {complaint}
        </p>
      )}
      <button type="button" class="primary" disabled={phase !== 'ready'} onClick={start}>
        {names[phase]}
      </button>
      <h2>Or use a token</h2>
    </>
  );
}

function sentenceOf(failure: string): string {
  if (failure === 'wrong-state') return 'the answer does not belong to this page. Start again.';
  return failure === 'unreachable' ? 'the identity provider does not answer.' : failure;
}
