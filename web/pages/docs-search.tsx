/** One search over guides, operations, errors and settings. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

interface Entry {
  kind: string;
  title: string;
  about: string;
  address: string;
}

const shownResults = 20;

/**
 * Every word must be there. The end of a path counts most, then a title more than what is about it, and a beginning more
 * than a middle.
 */
function find(entries: Entry[], words: string[]): Entry[] {
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
    .map(({ entry }) => entry);
}

async function loadEntries(): Promise<Entry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (await response.json()) as Entry[];
}

export function DocsSearch() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [entries, setEntries] = useState<Entry[]>();
  const [isFailed, setFailed] = useState(false);
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = useMemo(() => (words.length > 0 ? find(entries ?? [], words) : []), [entries, text]);

  const open = () => {
    dialog.current!.showModal();
    setFailed(false);
    if (!entries) loadEntries().then(setEntries, () => setFailed(true));
  };
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    dialog.current!.close();
    location.assign(entry.address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') go(found[selected]);
    else if (step === undefined || found.length === 0) return;
    else setSelected((selected + step + found.length) % found.length);
    event.preventDefault();
  };
  return (
    <>
      <button type="button" class="pill search-button" onClick={open}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="search card" aria-label="Search the documentation">
        <input
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded={found.length > 0}
          aria-controls="search-results"
          aria-activedescendant={found.length > 0 ? `result-${selected}` : undefined}
          placeholder="An operation, a guide, an error, a setting"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="search-results" role="listbox" aria-label="Results">
          {found.map((entry, index) => (
            <li
              key={`${entry.address} ${entry.title}`}
              id={`result-${index}`}
              role="option"
              aria-selected={index === selected}
              ref={(element) => {
                if (index === selected) element?.scrollIntoView({ block: 'nearest' });
              }}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => go(entry)}
            >
              <span class="kind">{entry.kind}</span> {entry.title} <span class="about">{entry.about}</span>
            </li>
          ))}
        </ul>
        <p role="status" class="hint">
          {isFailed
            ? 'The search could not be loaded. Close it and try again.'
            : words.length > 0 && entries && found.length === 0
              ? 'Nothing matches.'
              : ''}
        </p>
      </dialog>
    </>
  );
}
