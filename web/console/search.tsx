/** The search of the console. */
import { CommandPalette, PaletteButton } from '../ui/command-palette.tsx';
import { Icon } from '../ui/icons.tsx';
import { useCommands, type Views } from './commands.ts';
import { sentenceOf } from './problems.ts';
import { t } from './texts.ts';

export function ConsoleSearch({ views }: { views: Views }) {
  return (
    <PaletteButton class="small" palette={(onClose) => <Palette views={views} onClose={onClose} />}>
      <Icon name="search" />
      {t.search.open}
    </PaletteButton>
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
