/** What the screen shows instead of rows, or in addition to them if something went wrong. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { WaitingRow } from './row.tsx';
import type { ActivityTexts } from '../../intl/languages/activity-texts.ts';
import type { Trouble } from '../../data/trouble.ts';
import { useViewer } from './viewer.ts';
import { QuietButton } from '../../ui/quiet-button.tsx';

interface StateProps {
  icon: IconName;
  title: string;
  about: string;
  children?: ComponentChildren;
}

export function State({ icon, title, about, children }: StateProps) {
  return (
    <div class="state">
      <span class="picture">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p>{about}</p>
      {children}
    </div>
  );
}

interface Wording {
  icon: IconName;
  title: string;
  about: string;
  /** Undefined if the viewer can do nothing here. */
  action?: string;
}

function wordingOf(trouble: Trouble, texts: ActivityTexts): Wording {
  const { retry } = texts;
  switch (trouble.kind) {
    case 'offline':
      return { icon: 'offline', title: texts.offlineTitle, about: texts.offline, action: retry };
    case 'unreachable':
      return { icon: 'offline', title: texts.unreachableTitle, about: texts.unreachable, action: retry };
    case 'not-allowed':
      return {
        icon: 'lock',
        title: texts.notAllowedTitle,
        about: texts.notAllowed(location.origin),
        action: retry,
      };
    case 'expired':
      return { icon: 'lock', title: texts.expiredTitle, about: texts.expired, action: texts.signIn };
    case 'not-this-user':
      return { icon: 'lock', title: texts.notThisUserTitle, about: texts.notThisUser };
    case 'unknown':
      return { icon: 'alert', title: texts.unknownTitle, about: texts.unknown };
    case 'busy':
      return { icon: 'alert', title: texts.busyTitle, about: texts.busy, action: retry };
    case 'error':
      return { icon: 'alert', title: texts.errorTitle, about: texts.failed, action: retry };
  }
}

/** One sentence about a failure. */
export function sentenceOf(trouble: Trouble, texts: ActivityTexts): string {
  return trouble.kind === 'error' ? texts.failed : wordingOf(trouble, texts).title;
}

interface TroubleProps {
  trouble: Trouble;
  onRetry(): void;
}

export function TroubleState({ trouble, onRetry }: TroubleProps) {
  const { texts } = useViewer();
  const { icon, title, about, action } = wordingOf(trouble, texts);
  const traceId = 'traceId' in trouble ? trouble.traceId : undefined;
  return (
    <State icon={icon} title={title} about={about}>
      {traceId && <p class="trace">{texts.reference(traceId)}</p>}
      {action && (
        <button type="button" class="primary" onClick={onRetry}>
          {action}
        </button>
      )}
    </State>
  );
}

/** The rows on screen stay there. */
export function TroubleBanner({ trouble, onRetry }: TroubleProps) {
  const { texts } = useViewer();
  const { icon, title, about, action } = wordingOf(trouble, texts);
  return (
    <div class="banner" role="alert">
      <Icon name={icon} />
      <span>{'traceId' in trouble ? `${title}. ${about}` : title}</span>
      {action && <QuietButton onClick={onRetry}>{action}</QuietButton>}
    </div>
  );
}

export function Skeleton() {
  return (
    <div class="skeleton card" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <WaitingRow key={index} />
      ))}
    </div>
  );
}
