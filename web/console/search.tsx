/** The search of the console, opened by its button or by Ctrl/⌘ K. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { CommandPalette } from '../ui/command-palette.tsx';
import { Icon } from '../ui/icons.tsx';
import { useCommands } from './commands.ts';
import { sentenceOf } from './problems.ts';
import { t } from './texts.ts';

type Views = readonly (readonly [name: string, title: string])[];

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function ConsoleSearch({ views }: { views: Views }) {
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
      <button type="button" class="pill small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="search" />
        {t.search.open}
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && <Palette views={views} onClose={() => setOpen(false)} />}
    </>
  );
}

function Palette({ views, onClose }: { views: Views; onClose(): void }) {
  return (
    <CommandPalette
      label={t.search.label}
      placeholder={t.search.placeholder}
      noneText={t.search.none}
      {...useCommands(views)}
      sentenceOf={sentenceOf}
      onClose={onClose}
    />
  );
}
