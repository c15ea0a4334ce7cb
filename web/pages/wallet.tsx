/** The wallet page: the element, and a token for it. */
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { TokenSource } from '../../client/index.ts';
import '../elements/activity/element.tsx';
import { claimsOf } from '../data/token-claims.ts';
import { isUserId } from '../data/user-id.ts';
import { Icon } from '../ui/icons.tsx';
import { activityTexts } from '../intl/languages/activity-texts.ts';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { Header, isSandbox } from './header.tsx';
import type { NumberDialog } from './number-dialog.tsx';
import { describePage, pageLocale as locale } from './page-locale.ts';
import { sandboxToken } from './sandbox-token.ts';
import { SignIn } from './sign-in.tsx';

/** Whose wallet the address asks for. If it does not: in a sandbox the demo individual's, else that of the token's user. */
const asked = new URL(location.href).searchParams.get('individual') || (isSandbox ? '1' : undefined);

/**
 * A sandbox gives a token to every caller; elsewhere a person pastes one. The token is requested while the texts are
 * loaded and the page is drawn.
 */
function earlyToken(): TokenSource {
  const token = sandboxToken({ userId: Number(asked), scope: 'transactions:read' });
  // A failure is shown by the element, which asks for the token next.
  if (isUserId(Number(asked))) void Promise.allSettled([token(false)]);
  return token;
}

interface Session {
  individual: string;
  getToken: TokenSource;
}

const sandboxSession = isSandbox ? { individual: asked!, getToken: earlyToken() } : undefined;

/** The largest id. The service refuses the token, or says that there is no such wallet. */
const nobody = String(2 ** 31 - 1);

/** The user that a token is bound to, if it names one. */
function userOf(token: string): string | undefined {
  const { user_id: user } = claimsOf(token);
  return user === undefined ? undefined : String(user);
}

function sessionOf(token: string): Session {
  return { individual: asked ?? userOf(token) ?? nobody, getToken: () => token };
}

function WalletPage() {
  const [session, setSession] = useState<Session | undefined>(sandboxSession);
  const [isRefused, setRefused] = useState(false);
  const [Dialog, setDialog] = useState<typeof NumberDialog>();
  const onExpired = () => {
    if (isSandbox) return;
    setRefused(true);
    setSession(undefined);
  };
  const signOut = () => {
    setRefused(false);
    setSession(undefined);
  };
  return (
    <>
      <Header here="wallet" locale={locale} onSignOut={session && !isSandbox ? signOut : undefined}>
        {isSandbox && isUserId(Number(asked)) && <NumberButton onOpen={(dialog) => setDialog(() => dialog)} />}
      </Header>
      {Dialog && <Dialog userId={Number(asked)} onClose={() => setDialog(undefined)} />}
      {session ? (
        <main id="content">
          <ledgerline-activity {...session} locale={locale} address-bar="" onledgerline-session-expired={onExpired} />
        </main>
      ) : (
        <SignIn
          about={pageTexts.of(locale).signInAbout}
          locale={locale}
          isRefused={isRefused}
          onToken={(token) => setSession(sessionOf(token))}
        />
      )}
    </>
  );
}

/** Opens the person's number. Only a sandbox shows it: elsewhere it is the host's back end that confirms a change. */
function NumberButton({ onOpen }: { onOpen(dialog: typeof NumberDialog): void }) {
  const { phoneNumber } = pageTexts.of(locale);
  // It is loaded when it is opened, since few people do. If that fails, the next press tries again.
  const open = () =>
    import('./number-dialog.tsx').then(
      (loaded) => onOpen(loaded.NumberDialog),
      () => undefined,
    );
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={phoneNumber}
      title={phoneNumber}
      aria-haspopup="dialog"
      onClick={() => void open()}
    >
      <Icon name="phone" />
    </button>
  );
}

await Promise.all([pageTexts.load(locale), activityTexts.load(locale)]);
describePage(activityTexts.of(locale).title);
render(<WalletPage />, document.getElementById('page')!);
