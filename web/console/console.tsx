/** The operator's console: how it goes, what is refused, and why one customer's code failed. */
import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { clientCredentials, createClient, type TokenSource } from '../../client/index.ts';
import { Header, isSandbox } from '../pages/header.tsx';
import { SignIn } from '../pages/sign-in.tsx';
import { AuditView } from './audit.tsx';
import { CustomerView } from './customer.tsx';
import { GuardView } from './guard.tsx';
import { OverviewView } from './overview.tsx';
import { SafeListView } from './safe-list.tsx';

const views = {
  overview: { title: 'Overview', View: OverviewView },
  guard: { title: 'Guard', View: GuardView },
  'safe-list': { title: 'Safe list', View: SafeListView },
  customer: { title: 'Customer', View: CustomerView },
  audit: { title: 'Audit', View: AuditView },
};
type ViewName = keyof typeof views;

function viewInAddress(): ViewName {
  const name = location.hash.slice(1).split('/')[0]!;
  return name in views ? (name as ViewName) : 'overview';
}

function useView(): ViewName {
  const [view, setView] = useState(viewInAddress);
  useEffect(() => {
    const read = () => setView(viewInAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return view;
}

interface Session {
  token: TokenSource;
  /** The person, where a person brought the token. */
  name?: string | undefined;
}

function sandboxSession(): Session {
  const scope = 'operator:read operator:write';
  return { token: clientCredentials({ baseUrl: '', clientId: 'sandbox', clientSecret: 'sandbox', scope }) };
}

/** Whom the audit will name. Only for show: whether the token is good is the service's to say. */
function subjectOf(token: string): string | undefined {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { sub } = JSON.parse(new TextDecoder().decode(bytes)) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

function ConsolePage() {
  const [session, setSession] = useState<Session | undefined>(() => (isSandbox ? sandboxSession() : undefined));
  const [refused, setRefused] = useState(false);

  function signIn(text: string): void {
    setRefused(false);
    setSession({
      name: subjectOf(text),
      token(wasRefused) {
        // It is the only one there is, so another has to be brought.
        if (wasRefused) {
          setRefused(true);
          setSession(undefined);
        }
        return text;
      },
    });
  }

  return (
    <>
      <Header here="console" />
      {session ? (
        <Console session={session} onSignOut={() => setSession(undefined)} />
      ) : (
        <SignIn
          about="Paste an access token with operator:read; changes need operator:write. What you do is recorded under its name."
          refused={refused}
          onToken={signIn}
        />
      )}
    </>
  );
}

function Console({ session: { token, name }, onSignOut }: { session: Session; onSignOut(): void }) {
  const desk = useMemo(() => createClient({ token, retries: 1 }).operator, [token]);
  const here = useView();
  const { View } = views[here];
  return (
    <main class="console">
      <div class="console-bar">
        <nav aria-label="Views">
          {Object.entries(views).map(([view, { title }]) => (
            <a key={view} href={`#${view}`} aria-current={view === here ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {!isSandbox && (
          <p class="who-am-i">
            {name && <span>{name}</span>}
            <button type="button" class="quiet small" onClick={onSignOut}>
              Sign out
            </button>
          </p>
        )}
      </div>
      <View desk={desk} />
    </main>
  );
}

render(<ConsolePage />, document.getElementById('page')!);
