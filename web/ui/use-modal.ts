/** A native dialog that is open while it is drawn. It keeps the focus inside, and gives it back when it is closed. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Modal {
  dialog: RefObject<HTMLDialogElement | null>;
  /** For the event `close`. Not called when the dialog is removed because it is no longer drawn. */
  onClose(): void;
}

export function useModal(onClose: () => void): Modal {
  const dialog = useRef<HTMLDialogElement>(null);
  const isMounted = useRef(true);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      isMounted.current = false;
      // The focus is given back only by a dialog that is closed, not by one that is removed.
      element.close();
    };
  }, []);
  return { dialog, onClose: () => void (isMounted.current && onClose()) };
}
