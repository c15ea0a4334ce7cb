/** Sheets that slide over the list. */
import type { ComponentChildren } from 'preact';
import { useModal } from '../use-modal.ts';
import { Icon } from './icons.tsx';
import { useViewer } from './viewer.ts';

interface SheetProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const { texts } = useViewer();
  const modal = useModal(onClose);
  const { dialog } = modal;
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={title}
      onClose={modal.onClose}
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
