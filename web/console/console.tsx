/** The operator's console. */
import { render } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { createClient, type TokenSource } from '../../client/index.ts';
import { Header, isSandbox } from '../pages/header.tsx';
import { sandboxToken } from '../pages/sandbox-token.ts';
import { useAddress } from './address.ts';
import { withClock } from './clock.ts';
import { Frame } from './frame.tsx';
import { AuditView } from './views/audit.tsx';
import { CustomerView } from './views/customer.tsx';
import { EventsView } from './views/events.tsx';
import { GuardView } from './views/guard.tsx';
import { MessagesView } from './views/messages.tsx';
import { hasScope, OperatorContext, subjectOf } from './operator.ts';
import { ConsoleSearch } from './search.tsx';
import { OverviewView } from './views/overview.tsx';
import { SafeListView } from './views/safe-list.tsx';
import { SettingsView } from './views/settings.tsx';
import { ConsoleSignIn } from './views/sign-in.tsx';
import { t } from './texts.ts';
import { WebhooksView } from './views/webhooks.tsx';
import { QuietButton } from '../ui/quiet-button.tsx';

const views = {
  overview: { title: t.common.overview, View: OverviewView },
  messages: { title: t.common.messages, View: MessagesView },
  customer: { title: t.common.customer, View: CustomerView },
  guard: { title: t.common.guard, View: GuardView },
  'safe-list': { title: t.common.safeList, View: SafeListView },
  events: { title: t.common.events, View: EventsView },
  webhooks: { title: t.common.webhooks, View: WebhooksView },
  audit: { title: t.common.audit, View: AuditView },
  settings: { title: t.common.settings, View: SettingsView },
};
type ViewName = keyof typeof views;

const viewTitles = Object.entries(views).map(([name, { title }]) => [name, title] as const);

function useView(): ViewName {
  const { view } = useAddress();
  return Object.hasOwn(views, view) ? (view as ViewName) : 'overview';
}

interface Session {
  token: TokenSource;
  /** The person, if the token belongs to a person. */
  name?: string | undefined;
  mayWrite: boolean;
  mayWriteEvents: boolean;
  /** Ends the session at the identity provider, if the person signed in there. */
  leaveIssuer?: (() => void) | undefined;
}

function sandboxSession(): Session {
  const scope = 'operator:read operator:write events:write';
  const token = withClock(sandboxToken({ scope }));
  return { token, mayWrite: true, mayWriteEvents: true };
}

function ConsolePage() {
  const [session, setSession] = useState<Session | undefined>(() => (isSandbox ? sandboxSession() : undefined));
  const [isRefused, setRefused] = useState(false);

  function signIn(text: string, leaveIssuer?: () => void): void {
    setRefused(false);
    setSession({
      leaveIssuer,
      name: subjectOf(text),
      mayWrite: hasScope(text, 'operator:write'),
      mayWriteEvents: hasScope(text, 'events:write'),
      token(wasRefused) {
        // There is no other token, so the person has to paste one.
        if (wasRefused) {
          setRefused(true);
          setSession(undefined);
        }
        return text;
      },
    });
  }

  function signOut(): void {
    setSession(undefined);
    session?.leaveIssuer?.();
  }

  return (
    <>
      <Header here="console" />
      {session ? (
        <Console session={session} onSignOut={signOut} />
      ) : (
        <ConsoleSignIn
          isRefused={isRefused}
          onToken={(token) => signIn(token)}
          onSession={({ accessToken, signOut: leaveIssuer }) => signIn(accessToken, leaveIssuer)}
        />
      )}
    </>
  );
}

/** Requests outlive the page, so that a change is not lost when it is closed. */
const keepAlive: typeof fetch = (input, init) => fetch(input, { ...init, keepalive: true });

function Console({ session, onSignOut }: { session: Session; onSignOut(): void }) {
  const { token, mayWrite, mayWriteEvents } = session;
  const operator = useMemo(() => {
    // A repeated call may wait as long as the service asks (Retry-After), and the person would not see why.
    const { operator: operations, webhooks } = createClient({ token, retries: 0, fetch: keepAlive });
    const followMessages = createClient({ token }).operator.liveMessages;
    return { operations, webhooks, followMessages, mayWrite, mayWriteEvents };
  }, [session]);
  return (
    <OperatorContext.Provider value={operator}>
      <main class="console-page" id="content">
        <ConsoleBar session={session} onSignOut={onSignOut} />
        <CurrentView />
      </main>
    </OperatorContext.Provider>
  );
}

function CurrentView() {
  const here = useView();
  const { part } = useAddress();
  const { title, View } = views[here];
  useLayoutEffect(() => {
    document.title = `${part ? `${title} ${part}` : title} · Console · Ledgerline`;
  }, [title, part]);
  return (
    <Frame
      key={here}
      of={title}
      class="console-view"
      header={(updated) => (
        <header class="view-title">
          <h1>{title}</h1>
          {updated}
        </header>
      )}
    >
      <View />
    </Frame>
  );
}

function ConsoleBar({ session: { name, mayWrite }, onSignOut }: { session: Session; onSignOut(): void }) {
  const here = useView();
  return (
    <div class="console-bar">
      <nav aria-label={t.common.views}>
        {viewTitles.map(([view, title]) => (
          <a key={view} href={`#${view}`} aria-current={view === here ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <ConsoleSearch views={viewTitles} />
      {!isSandbox && (
        <p class="who-am-i">
          {name && <span>{name}</span>}
          {!mayWrite && (
            <span class="state-mark is-warn" title={t.common.readOnlyHint}>
              {t.common.readOnly}
            </span>
          )}
          <QuietButton onClick={onSignOut}>{t.common.signOut}</QuietButton>
        </p>
      )}
    </div>
  );
}

document.title = 'Console · Ledgerline';
render(<ConsolePage />, document.getElementById('page')!);
