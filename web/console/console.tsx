/** The operator's console. */
import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { clientCredentials, createClient, type TokenSource } from '../../client/index.ts';
import { Header, isSandbox } from '../pages/header.tsx';
import { SignIn } from '../pages/sign-in.tsx';
import { AuditView } from './audit.tsx';
import { CustomerView } from './customer.tsx';
import { EventsView } from './events.tsx';
import { GuardView } from './guard.tsx';
import { hasScope, OperatorContext, readOnlyHint, subjectOf } from './operator.ts';
import { OverviewView } from './overview.tsx';
import { SafeListView } from './safe-list.tsx';
import { WebhooksView } from './webhooks.tsx';

const views = {
  overview: { title: 'Overview', View: OverviewView },
  guard: { title: 'Guard', View: GuardView },
  'safe-list': { title: 'Safe list', View: SafeListView },
  customer: { title: 'Customer', View: CustomerView },
  events: { title: 'Events', View: EventsView },
  webhooks: { title: 'Webhooks', View: WebhooksView },
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
  /** The person, if a person brought the token. */
  name?: string | undefined;
  mayWrite: boolean;
  mayWriteEvents: boolean;
}

function sandboxSession(): Session {
  const scope = 'operator:read operator:write events:write';
  const token = clientCredentials({ baseUrl: '', clientId: 'sandbox', clientSecret: 'sandbox', scope });
  return { token, mayWrite: true, mayWriteEvents: true };
}

function ConsolePage() {
  const [session, setSession] = useState<Session | undefined>(() => (isSandbox ? sandboxSession() : undefined));
  const [isRefused, setRefused] = useState(false);

  function signIn(text: string): void {
    setRefused(false);
    setSession({
      name: subjectOf(text),
      mayWrite: hasScope(text, 'operator:write'),
      mayWriteEvents: hasScope(text, 'events:write'),
      token(wasRefused) {
        // There is no other token, so the person has to bring one.
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
          about="Paste an access token with operator:read; changes need operator:write, those of webhooks events:write. What you do is recorded under its name."
          isRefused={isRefused}
          onToken={signIn}
        />
      )}
    </>
  );
}

/** Requests outlive the page, so that a change is not lost when it is closed. */
const keepAlive: typeof fetch = (input, init) => fetch(input, { ...init, keepalive: true });

function Console({ session, onSignOut }: { session: Session; onSignOut(): void }) {
  const { token, name, mayWrite, mayWriteEvents } = session;
  const operator = useMemo(() => {
    const { operator: desk, webhooks } = createClient({ token, retries: 1, fetch: keepAlive });
    const followMessages = createClient({ token }).operator.liveMessages;
    return { desk, webhooks, followMessages, mayWrite, mayWriteEvents };
  }, [session]);
  const here = useView();
  const { View } = views[here];
  return (
    <main class="console" id="content">
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
            {!mayWrite && (
              <span class="mark shadow" title={readOnlyHint}>
                Read only
              </span>
            )}
            <button type="button" class="quiet small" onClick={onSignOut}>
              Sign out
            </button>
          </p>
        )}
      </div>
      <OperatorContext.Provider value={operator}>
        <View />
      </OperatorContext.Provider>
    </main>
  );
}

render(<ConsolePage />, document.getElementById('page')!);
