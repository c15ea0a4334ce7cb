/** An error boundary in the words of the console. */
import type { ComponentChildren } from 'preact';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { t } from './texts.ts';

interface BoundaryProps {
  /** What is drawn inside. */
  of: string;
  isView?: boolean;
  children: ComponentChildren;
}

export function Boundary({ of, isView, children }: BoundaryProps) {
  return (
    <ErrorBoundary
      of={of}
      fallback={(retry) => (
        <div class="complaint failed-part" role="alert">
          {isView && <h1>{of}</h1>}
          <p>{t.common.cannotShow(of)}</p>
          <button type="button" class="quiet small" onClick={retry}>
            {t.common.tryAgain}
          </button>
        </div>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
