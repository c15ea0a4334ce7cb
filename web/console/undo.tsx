/** A notice with a button that undoes the last change. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from './texts.ts';

/** How long a lift is delayed, so that it can be undone: a lifted block cannot be restored. */
export const delaySeconds = 6;
const noticeSeconds = 20;

export interface Notice {
  text: string;
  undo?(): void;
}

export function useNotice(): [Notice | undefined, (notice: Notice | undefined) => void] {
  const [notice, setNotice] = useState<Notice>();
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(undefined), noticeSeconds * 1000);
    return () => clearTimeout(timer);
  }, [notice]);
  return [notice, setNotice];
}

/** With `takesFocus` the button has the focus while it is there: the control that the change came from is disabled. */
export function UndoNotice({ notice, takesFocus = false }: { notice: Notice | undefined; takesFocus?: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) button.current?.focus();
  }, [notice]);
  return (
    <div class="undo-place" role="status">
      {notice && (
        <p class="undo-notice">
          <span>{notice.text}</span>
          {notice.undo && (
            <button ref={button} type="button" class="quiet small" onClick={notice.undo}>
              {t.common.undo}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

export interface Delayed {
  /** Runs the work after a few seconds, unless it is undone. */
  start(work: () => void): void;
  cancel(): void;
}

/** Delayed work. It is done immediately when the view or the page is closed. */
export function useDelayed(): Delayed {
  const waiting = useRef<{ work(): void; timer: ReturnType<typeof setTimeout> } | undefined>(undefined);
  const finish = useCallback(() => {
    const { work, timer } = waiting.current ?? {};
    clearTimeout(timer);
    waiting.current = undefined;
    work?.();
  }, []);
  useLayoutEffect(() => {
    addEventListener('pagehide', finish);
    return () => {
      removeEventListener('pagehide', finish);
      finish();
    };
  }, []);
  return {
    start(work) {
      finish();
      waiting.current = { work, timer: setTimeout(finish, delaySeconds * 1000) };
    },
    cancel() {
      clearTimeout(waiting.current?.timer);
      waiting.current = undefined;
    },
  };
}
