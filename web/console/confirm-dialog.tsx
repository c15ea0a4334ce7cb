/** A dialog that asks for a reason before something is changed. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useModal } from '../ui/use-modal.ts';
import { t } from './texts.ts';

interface ConfirmProps {
  title: string;
  /** The text of the button that confirms. */
  action: string;
  children?: ComponentChildren;
  isReady?: boolean;
  onConfirm(reason: string): void;
  onCancel(): void;
}

export function Confirm({ title, action, children, isReady = true, onConfirm, onCancel }: ConfirmProps) {
  const { dialog, onClose } = useModal(onCancel);
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);

  function submit(event: Event): void {
    event.preventDefault();
    setMissing(reason.trim() === '');
    if (reason.trim() === '') field.current!.focus();
    else onConfirm(reason.trim());
  }

  return (
    <dialog ref={dialog} class="confirm-dialog dialog card" aria-labelledby="confirm-title" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <h2 id="confirm-title">{title}</h2>
        {children}
        <label>
          {t.common.reason}
          <textarea
            ref={field}
            rows={2}
            maxLength={500}
            value={reason}
            aria-invalid={isMissing}
            aria-describedby="reason-about"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <p id="reason-about" class={isMissing ? 'complaint' : 'soft'} role={isMissing ? 'alert' : undefined}>
          {isMissing ? t.common.reasonMissing : t.common.reasonAbout}
        </p>
        <footer>
          <button type="button" class="quiet" onClick={() => dialog.current!.close()}>
            {t.common.cancel}
          </button>
          <button type="submit" class="primary" disabled={!isReady}>
            {action}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
