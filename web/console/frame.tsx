/**
 * The frame of a view and of a panel. It hears of every resource inside it, so that a view cannot forget to show an error
 * or the age of its values, and keeps an error that occurs while something is drawn inside it.
 */
import { createContext, type ComponentChildren, type Ref } from 'preact';
import { useCallback, useContext, useId, useState } from 'preact/hooks';
import { ResourceWatch, type Resource } from '../data/use-resource.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { Notice } from '../ui/notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useNow } from '../ui/use-now.ts';
import { formatClock, formatNumber } from './format.ts';
import { sentenceOf } from './problems.ts';
import { t } from './texts.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

/** The name of the view or panel around something. */
const PartName = createContext('');

type Watched = ReadonlyMap<object, Resource<unknown>>;

interface FrameProps {
  /** What is drawn inside. */
  of: string;
  /** Drawn above a failure; gets how old the values are. */
  header?(updated: ComponentChildren): ComponentChildren;
  class: string;
  children: ComponentChildren;
}

export function Frame({ of, header, class: kind, children }: FrameProps) {
  const [watched, setWatched] = useState<Watched>(new Map());
  const watch = useCallback((id: object, resource: Resource<unknown> | undefined) => {
    setWatched((before) => {
      const next = new Map(before);
      if (resource) next.set(id, resource);
      else next.delete(id);
      return next;
    });
  }, []);
  const resources = [...watched.values()];
  const failed = resources.filter(({ failure }) => failure !== undefined);
  const time = oldestTime(resources);
  return (
    <div class={failed.length > 0 ? `${kind} is-stale` : kind}>
      {header?.(time && failed.length === 0 && <p class="updated-at">{t.common.updatedAt(time)}</p>)}
      {failed.length > 0 && <FailureNotice failed={failed} time={time} />}
      <ResourceWatch.Provider value={watch}>
        <PartName.Provider value={of}>
          <Boundary of={of}>{children}</Boundary>
        </PartName.Provider>
      </ResourceWatch.Provider>
    </div>
  );
}

/**
 * The age of what is on screen. Undefined while something has no answer yet. What is requested only once, such as the
 * choices of a filter, has no age if there is anything else.
 */
function oldestTime(resources: readonly Resource<unknown>[]): string | undefined {
  if (resources.length === 0 || resources.some(({ updatedAt }) => !updatedAt)) return undefined;
  const repeated = resources.filter(({ isOnce }) => !isOnce);
  const times = (repeated.length > 0 ? repeated : resources).map(({ updatedAt }) => updatedAt!.getTime());
  return formatClock(new Date(Math.min(...times)));
}

interface FailureNoticeProps {
  failed: readonly Resource<unknown>[];
  time?: string | undefined;
}

function FailureNotice({ failed, time }: FailureNoticeProps) {
  const sentence = sentenceOf(failed[0]!.failure!.error);
  const retries = failed.flatMap(({ failure }) => failure!.retryAt ?? []);
  const now = useNow(Date.now, retries.length > 0);
  const seconds = Math.ceil((Math.min(...retries) - now) / 1000);
  return (
    <Notice
      text={time ? t.common.staleSince(sentence, time) : sentence}
      about={retries.length > 0 && (seconds > 0 ? t.common.retryingIn(formatNumber(seconds)) : t.common.retrying)}
    >
      <QuietButton onClick={() => failed.forEach(({ refresh }) => refresh())}>{t.common.retryNow}</QuietButton>
    </Notice>
  );
}

interface BoundaryProps {
  /** The name of what is drawn. */
  of: string;
  /** What it is drawn from. Something else is tried afresh. */
  from?: unknown;
  onRetry?(): void;
  children: ComponentChildren;
}

function Boundary({ of, from, onRetry, children }: BoundaryProps) {
  return (
    <ErrorBoundary
      of={from}
      fallback={(retry) => (
        <Notice text={t.common.cannotShow(of)}>
          <QuietButton onClick={onRetry ?? retry}>{t.common.tryAgain}</QuietButton>
        </Notice>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}

interface PanelProps {
  title: string;
  /** Whether the title is only for screen readers. */
  isTitleUnseen?: boolean;
  /** It gets the focus when the button that was pressed disappears. */
  headingRef?: Ref<HTMLHeadingElement> | undefined;
  /** Controls next to the title. */
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Panel({ title, isTitleUnseen, headingRef, actions, class: kind = '', children }: PanelProps) {
  const id = useId();
  return (
    <section class={`card console-panel ${kind}`} aria-labelledby={id}>
      <header class={isTitleUnseen ? 'unseen' : 'panel-title'}>
        <h2 id={id} ref={headingRef ?? null} tabIndex={-1}>
          {title}
        </h2>
        {actions}
      </header>
      <PartName.Provider value={title}>
        <Boundary of={title}>{children}</Boundary>
      </PartName.Provider>
    </section>
  );
}

interface ContentProps<T> {
  of: Resource<T>;
  /** Shown for an empty list. */
  none?: ComponentChildren;
  children(value: T): ComponentChildren;
}

/** What a resource has, or the outline of it while the first answer is on its way. */
export function Content<T>({ of: { value, failure, isPrevious, refresh }, none, children }: ContentProps<T>) {
  const name = useContext(PartName);
  if (value === undefined) return failure ? null : <Skeleton text={t.common.loading} />;
  if (Array.isArray(value) && value.length === 0 && none !== undefined) return <p class="soft">{none}</p>;
  return (
    <div class={isPrevious ? 'console-view of-last-filter' : 'console-view'}>
      <Boundary of={name} from={value} onRetry={refresh}>
        <Drawn draw={() => children(value)} />
      </Boundary>
    </div>
  );
}

/** Draws inside the boundary. */
const Drawn = ({ draw }: { draw(): ComponentChildren }) => <>{draw()}</>;
