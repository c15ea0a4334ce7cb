/** One search over guides, operations, errors and settings. */
import { useEffect, useState } from 'preact/hooks';
import { CommandPalette, PaletteButton, type Command } from '../ui/command-palette.tsx';

interface Entry {
  kind: string;
  title: string;
  about: string;
  address: string;
}

const shownResults = 20;

/**
 * Every word must be there. The end of a path counts most, then a title more than what is about it, and a beginning more
 * than a middle. Without a word there are the beginnings of the guides.
 */
function find(entries: Entry[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.filter(({ kind, about }) => kind === 'guide' && about === '').map(commandOf);
  const scored = entries.flatMap((entry) => {
    const title = entry.title.toLowerCase();
    const all = `${title} ${entry.about} ${entry.kind}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const about = entry.about.toLowerCase();
    const scoreOf = (word: string) =>
      about.endsWith(`/${word}`) ? 4 : title.startsWith(word) ? 3 : title.includes(word) ? 2 : 1;
    const score = words.reduce((sum, word) => sum + scoreOf(word), 0);
    return [{ entry, score: score / words.length - title.length / 1000 }];
  });
  return scored
    .toSorted((left, right) => right.score - left.score)
    .slice(0, shownResults)
    .map(({ entry }) => commandOf(entry));
}

function commandOf({ kind, title, about, address }: Entry): Command {
  return { key: `${address} ${title}`, title, about, kind, run: () => location.assign(address) };
}

async function loadEntries(): Promise<Entry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (await response.json()) as Entry[];
}

export function DocsSearch() {
  const [entries, setEntries] = useState<Entry[]>();
  const palette = (onClose: () => void) => <Palette entries={entries} onEntries={setEntries} onClose={onClose} />;
  return (
    <PaletteButton class="search-button" palette={palette}>
      Search
    </PaletteButton>
  );
}

interface PaletteProps {
  /** Undefined until they are loaded. */
  entries: Entry[] | undefined;
  onEntries(entries: Entry[]): void;
  onClose(): void;
}

function Palette({ entries, onEntries, onClose }: PaletteProps) {
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!entries) loadEntries().then(onEntries, () => setFailed(true));
  }, []);
  return (
    <CommandPalette
      label="Search the documentation"
      placeholder="An operation, a guide, an error, a setting"
      noneText={
        isFailed ? 'The search could not be loaded. Close it and try again.' : entries ? 'Nothing matches.' : ''
      }
      find={(text) => find(entries ?? [], text)}
      sentenceOf={String}
      onClose={onClose}
    />
  );
}
