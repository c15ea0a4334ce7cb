/** The wallet page: the element, and a token for it. */
import { render } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clientCredentials, type TokenSource } from '../../client/index.ts';
import { LedgerlineActivity } from '../elements/activity/element.tsx';
import { Icon } from '../ui/icons.tsx';
import { activityTexts } from '../intl/languages/activity-texts.ts';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { Header, isSandbox } from './header.tsx';
import type { NumberDialog } from './number-dialog.tsx';
import { describePage, pageLocale as locale } from './page-locale.ts';
import { SignIn } from './sign-in.tsx';

const individual = Number(new URL(location.href).searchParams.get('individual')) || 1;

/**
 * A sandbox gives a token to every caller; elsewhere a person pastes one. The token is requested while the texts are
 * loaded and the page is drawn.
 */
function sandboxToken(): TokenSource {
  const token = clientCredentials({
    baseUrl: '',
    clientId: 'sandbox',
    clientSecret: 'sandbox',
    userId: individual,
    scope: 'transactions:read',
  });
  // A failure is shown by the element, which asks for the token next.
  void Promise.allSettled([token(false)]);
  return token;
}

const firstToken = isSandbox ? sandboxToken() : undefined;

function WalletPage() {
  const [getToken, setGetToken] = useState<TokenSource | undefined>(() => firstToken);
  const [isRefused, setRefused] = useState(false);
  const [Dialog, setDialog] = useState<typeof NumberDialog>();
  const onExpired = () => {
    if (isSandbox) return;
    setRefused(true);
    setGetToken(undefined);
  };
  const signOut = () => {
    setRefused(false);
    setGetToken(undefined);
  };
  return (
    <>
      <Header here="wallet" locale={locale} onSignOut={getToken && !isSandbox ? signOut : undefined}>
        {isSandbox && <NumberButton onOpen={(dialog) => setDialog(() => dialog)} />}
      </Header>
      {Dialog && <Dialog userId={individual} onClose={() => setDialog(undefined)} />}
      {getToken ? (
        <Wallet getToken={getToken} onExpired={onExpired} />
      ) : (
        <SignIn
          about={pageTexts.of(locale).signInAbout(individual)}
          locale={locale}
          isRefused={isRefused}
          onToken={(token) => setGetToken(() => () => token)}
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

function Wallet({ getToken, onExpired }: { getToken: TokenSource; onExpired(): void }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = new LedgerlineActivity();
    element.setAttribute('individual', String(individual));
    element.setAttribute('locale', locale);
    element.setAttribute('address-bar', '');
    element.getToken = getToken;
    element.addEventListener('ledgerline-session-expired', onExpired);
    box.current!.replaceChildren(element);
    return () => element.remove();
  }, [getToken]);
  return <main id="content" ref={box} />;
}

await Promise.all([pageTexts.load(locale), activityTexts.load(locale)]);
describePage(activityTexts.of(locale).title);
render(<WalletPage />, document.getElementById('page')!);
