/** A dialog that finds anything by a few letters, by keyboard alone, and the button that opens it. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useModal } from './use-modal.ts';

export interface Command {
  key: string;
  title: string;
  /** What else says which one it is. */
  about?: string;
  /** What kind of thing it is. */
  kind: string;
  run(): void | Promise<unknown>;
}

interface CommandPaletteProps {
  label: string;
  placeholder: string;
  noneText: string;
  /** What it cannot find at the moment. */
  notice?: string | undefined;
  /** What a text finds, best first. */
  find(text: string): readonly Command[];
  /** Says why a command failed. */
  sentenceOf(error: unknown): string;
  onClose(): void;
}

export function CommandPalette(props: CommandPaletteProps) {
  const { label, placeholder, noneText, notice, find, sentenceOf, onClose } = props;
  const modal = useModal(onClose);
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState(0);
  const [complaint, setComplaint] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const found = find(typed.trim());
  const chosen = Math.min(place, found.length - 1);
  useLayoutEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }), [chosen]);

  async function run(command: Command | undefined): Promise<void> {
    try {
      await command?.run();
      if (command) modal.dialog.current?.close();
    } catch (error) {
      setComplaint(sentenceOf(error));
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step === undefined) void run(found[chosen]);
    else if (found.length > 0) setPlace((chosen + step + found.length) % found.length);
  }

  return (
    <dialog
      ref={modal.dialog}
      class="command-palette card"
      aria-label={label}
      onClose={modal.onClose}
      onClick={(event) => event.target === modal.dialog.current && modal.dialog.current!.close()}
    >
      <div class="command-palette-body">
        <input
          role="combobox"
          aria-label={label}
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          placeholder={placeholder}
          autoComplete="off"
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setPlace(0);
            setComplaint(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        {complaint !== undefined && <p role="alert">{complaint}</p>}
        {notice !== undefined && <p role="status">{notice}</p>}
        <p role="status" class={found.length > 0 ? 'unseen' : undefined}>
          {found.length === 0 && noneText}
        </p>
        <ul ref={list} id={id} role="listbox" aria-label={label}>
          {found.map((command, index) => (
            <li
              key={command.key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onPointerMove={() => setPlace(index)}
              onClick={() => void run(command)}
            >
              <span>
                {command.title} {command.about && <span class="command-kind">{command.about}</span>}
              </span>
              <span class="command-kind">{command.kind}</span>
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

interface PaletteButtonProps {
  class: string;
  /** Draws the palette while it is open. */
  palette(onClose: () => void): ComponentChildren;
  children: ComponentChildren;
}

/** Ctrl/⌘ K opens it as well, unless another dialog is open. */
export function PaletteButton({ class: kind, palette, children }: PaletteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => before || !document.querySelector(':modal'));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" class={`pill ${kind}`} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {children}
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && palette(() => setOpen(false))}
    </>
  );
}
