/** A list with the chosen entry at its side; on a smaller screen the entry covers the list. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** `panel` is a `SidePanel` with a key, or nothing. */
export function ListWithPanel({ panel, children }: { panel: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class={panel ? 'list-with-panel has-panel' : 'list-with-panel'}>
      <div class="list-place">{children}</div>
      {panel}
    </div>
  );
}

interface SidePanelProps {
  title: string;
  closeText: string;
  onClose(): void;
  children: ComponentChildren;
}

/** Its heading gets the focus. When it is closed, the focus goes back to what opened it. */
export function SidePanel({ title, closeText, onClose, children }: SidePanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const panel = useRef<HTMLElement>(null);
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    heading.current!.focus({ preventScroll: true });
    return () => {
      const isInside = panel.current?.contains(document.activeElement);
      if (isInside && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const latest = useRef(onClose);
  latest.current = onClose;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector(':modal')) latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <aside ref={panel} class="side-panel card" aria-labelledby={id}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="round" aria-label={closeText} title={closeText} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="side-panel-body">{children}</div>
    </aside>
  );
}
