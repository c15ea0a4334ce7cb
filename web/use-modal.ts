/** A native dialog that is open while it is drawn. It keeps the focus inside, and gives it back when it is closed. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Modal {
  dialog: RefObject<HTMLDialogElement | null>;
  /** For the event `close`: not called when the dialog goes because it is drawn no longer. */
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
      // Only a dialog that is closed, not one that is removed, gives the focus back.
      element.close();
    };
  }, []);
  return { dialog, onClose: () => void (isMounted.current && onClose()) };
}
