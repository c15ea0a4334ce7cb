/** The search of the console. */
import { CommandPalette, PaletteButton } from '../ui/command-palette.tsx';
import { Icon } from '../ui/icons.tsx';
import { useCommands, type Views } from './commands.ts';
import { sentenceOf } from './problems.ts';

export function ConsoleSearch({ views }: { views: Views }) {
  return (
    <PaletteButton class="small" palette={(onClose) => <Palette views={views} onClose={onClose} />}>
      <Icon name="search" />
      Search
    </PaletteButton>
  );
}

function Palette({ views, onClose }: { views: Views; onClose(): void }) {
  return (
    <CommandPalette
      label="Search the console"
      placeholder="A view, customer, message, rule or setting"
      noneText="Nothing is found. A customer is found by id, phone number or e-mail; a message by its id, such as 17-3."
      {...useCommands(views)}
      sentenceOf={sentenceOf}
      onClose={onClose}
    />
  );
}
