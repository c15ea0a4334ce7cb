/** Sheets that slide over the list. A native dialog keeps the focus inside and gives it back. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { useViewer } from './viewer.ts';

interface SheetProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const { texts } = useViewer();
  const dialog = useRef<HTMLDialogElement>(null);
  const isMounted = useRef(true);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      isMounted.current = false;
      // Only a dialog that is closed, not one that is removed, gives the focus back.
      element.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={title}
      onClose={() => isMounted.current && onClose()}
      onClick={(event) => event.target === dialog.current && dialog.current!.close()}
    >
      <div class="sheet-body">
        <header>
          <h2>{title}</h2>
          <button type="button" class="round" aria-label={texts.close} onClick={() => dialog.current!.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
