/** Sheets that slide over the list. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useModal } from './use-modal.ts';
import { Icon } from './icons.tsx';

interface SheetProps {
  title: string;
  closeText: string;
  /** More buttons in the head of the sheet. */
  actions?: ComponentChildren;
  onClose(): void;
  children: ComponentChildren;
}

export function Sheet({ title, closeText, actions, onClose, children }: SheetProps) {
  const modal = useModal(onClose);
  const { dialog } = modal;
  /** Whether the press began outside: text may be selected from inside to outside. */
  const isPressedOutside = useRef(false);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      part="sheet"
      aria-label={title}
      onClose={modal.onClose}
      onPointerDown={(event) => (isPressedOutside.current = event.target === dialog.current)}
      onClick={(event) => isPressedOutside.current && event.target === dialog.current && dialog.current!.close()}
    >
      <div class="sheet-body">
        <header>
          <h2>{title}</h2>
          {actions}
          <button type="button" class="round" aria-label={closeText} onClick={() => dialog.current!.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
