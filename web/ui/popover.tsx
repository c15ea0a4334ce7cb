/** A button, and a box below it that is open until the reader turns to something else. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useFocusLeft } from './use-focus-left.ts';

export interface PopoverControl {
  isOpen: boolean;
  open(): void;
  /** The focus goes back to the button. */
  close(): void;
}

interface PopoverProps {
  /** The content of the button. */
  button: ComponentChildren;
  /** Names the box. */
  label: string;
  /** Names the button, if its content does not. */
  buttonLabel?: string;
  class?: string;
  /** Opens and closes it from elsewhere. */
  control?: PopoverControl;
  children: ComponentChildren;
}

export function usePopover(): PopoverControl {
  const [isOpen, setOpen] = useState(false);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

export function Popover(props: PopoverProps) {
  const { button, label, buttonLabel, class: kind = 'pill small', control, children } = props;
  const own = usePopover();
  const { isOpen, open, close } = control ?? own;
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  useFocusLeft(place, close);
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(false);
  // It grows to the side that has room.
  useLayoutEffect(() => {
    if (!isOpen) return setAtEnd(false);
    const { left, right } = box.current!.getBoundingClientRect();
    setAtEnd(left < 0 || right > document.documentElement.clientWidth);
  }, [isOpen]);
  return (
    <div
      ref={place}
      class="popover-place"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        close();
        place.current!.querySelector('button')!.focus();
      }}
    >
      <button
        type="button"
        class={kind}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={buttonLabel}
        title={buttonLabel}
        onClick={isOpen ? close : open}
      >
        {button}
      </button>
      {isOpen && (
        <div
          ref={box}
          id={id}
          class={isAtEnd ? 'popover-box at-end card' : 'popover-box card'}
          role="group"
          aria-label={label}
        >
          {children}
        </div>
      )}
    </div>
  );
}
