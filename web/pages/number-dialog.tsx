/** The phone number of the wallet's person: verified for the first time, or changed. The sandbox page has the phone. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { createClient, type UserStatus } from '../../client/index.ts';
import { Icon } from '../ui/icons.tsx';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { useModal } from '../ui/use-modal.ts';
import '../elements/verify/element.tsx';
import { ChangeNumber } from './change-number.tsx';
import { pageLocale } from './page-locale.ts';
import { sandboxToken } from './sandbox-token.ts';

const texts = pageTexts.of(pageLocale);
const [beforePage, afterPage] = texts.textsArrive('|').split('|');

export function NumberDialog({ userId, onClose }: { userId: number; onClose(): void }) {
  const modal = useModal(onClose);
  /** The back end's, which this page plays. */
  const client = useMemo(() => createClient({ token: sandboxToken(), retries: 1 }), []);
  /** The app's, for this person alone. */
  const token = useMemo(() => sandboxToken({ userId, scope: 'phone' }), []);
  const [status, setStatus] = useState<UserStatus | 'failed'>();
  /** How many times a change was begun; a code that was not used in time ends it. */
  const [changes, setChanges] = useState(0);
  const [isOver, setOver] = useState(true);
  const known = status === 'failed' ? undefined : status;

  function change(): void {
    setOver(false);
    setChanges(changes + 1);
  }

  async function load(): Promise<void> {
    setStatus(await client.userStatus(userId).catch(() => 'failed' as const));
  }
  useEffect(() => void load(), []);

  return (
    <dialog ref={modal.dialog} class="number-dialog dialog card" aria-label={texts.phoneNumber} onClose={modal.onClose}>
      <div class="head">
        <h2>{texts.phoneNumber}</h2>
        <button type="button" class="round" aria-label={texts.close} onClick={() => modal.dialog.current!.close()}>
          <Icon name="close" />
        </button>
      </div>
      {status === 'failed' && (
        <button type="button" class="quiet" onClick={() => void load()}>
          {texts.tryAgain}
        </button>
      )}
      {known && !known.isPhoneNumberVerified && (
        <ledgerline-verify user={userId} locale={pageLocale} getToken={token} />
      )}
      {known?.isPhoneNumberVerified && changes === 0 && (
        <p class="current-number">
          <bdi>{known.phoneNumber}</bdi>
        </p>
      )}
      {changes > 0 && (
        <ChangeNumber
          key={changes}
          client={client}
          token={token}
          fetch={(input, init) => fetch(input, init)}
          userId={userId}
          phoneNumber={known?.phoneNumber ?? undefined}
          channels=""
          now={Date.now}
          onSent={() => undefined}
          onEnded={(outcome) => setOver(outcome !== 'used')}
          onChanged={() => undefined}
        />
      )}
      {known?.isPhoneNumberVerified && isOver && (
        <div class="buttons">
          <button type="button" class="primary" onClick={change}>
            {texts.changeNumber}
          </button>
        </div>
      )}
      <p class="soft hint">
        {beforePage}
        <a href="/" target="_blank" rel="noopener">
          {texts.sandbox}
        </a>
        {afterPage}
      </p>
    </dialog>
  );
}
