/** Files and paper with exactly the rows of the list: the same filter, as of the same moment. */
import { useRef } from 'preact/hooks';
import type { ExportFormat } from '../../../client/index.ts';
import { useFocusLeft } from '../../ui/use-focus-left.ts';
import { requestOf, type Filter } from './filter.ts';
import { Icon } from '../../ui/icons.tsx';
import type { SaveFile } from './save-file.ts';
import { maxStatementRows, tooLongSentence } from './statement-limit.ts';
import type { WithAsOf } from './use-activity.ts';
import { useViewer } from './viewer.ts';

interface ExportMenuProps {
  filter: Filter;
  withAsOf: WithAsOf;
  isDisabled: boolean;
  /** How many rows there are, once it is known. */
  count: number | undefined;
  save: SaveFile;
  onPrint(): void;
}

export function ExportMenu({ filter, withAsOf, isDisabled, count = 0, save, onPrint }: ExportMenuProps) {
  const { client, individualId, timeZone, locale, texts } = useViewer();
  const menu = useRef<HTMLDetailsElement>(null);
  useFocusLeft(menu, () => (menu.current!.open = false));
  const request = requestOf(individualId, filter, timeZone);
  const saveRows = (format: ExportFormat) =>
    save(
      `transactions-${individualId}.${format}`,
      () => withAsOf((asOf) => client.exportTransactions({ ...request, asOf }, format)),
      count,
    );
  const saveStatement = () =>
    save(`statement-${individualId}.pdf`, () =>
      withAsOf((asOf) => client.makeStatement({ ...request, asOf, timeZone, locale })),
    );

  function close(): void {
    menu.current!.open = false;
    menu.current!.querySelector('summary')!.focus();
  }

  const isTooLong = count > maxStatementRows;
  const entries: [name: string, act: () => unknown][] = [
    ...(isTooLong ? [] : [[texts.statement, saveStatement] as [string, () => unknown]]),
    [texts.exportCsv, () => saveRows('csv')],
    [texts.exportNdjson, () => saveRows('ndjson')],
    [texts.print, onPrint],
  ];

  return (
    <details
      class="export"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && menu.current!.open) close();
        else moveInMenu(event, menu.current!);
      }}
    >
      <summary class={isDisabled ? 'pill disabled' : 'pill'} aria-label={texts.exportAs}>
        <Icon name="export" />
        <span>{texts.exportAs}</span>
      </summary>
      <div class="menu card">
        {isTooLong && <p class="too-long">{tooLongSentence(texts, locale)}</p>}
        {entries.map(([name, act]) => (
          <button
            type="button"
            key={name}
            disabled={isDisabled}
            onClick={() => {
              close();
              act();
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </details>
  );
}

/** The arrow keys open the menu, and go round its entries. */
function moveInMenu(event: KeyboardEvent, menu: HTMLDetailsElement): void {
  const steps: Record<string, (at: number, count: number) => number> = {
    ArrowDown: (at, count) => (at + 1) % count,
    ArrowUp: (at, count) => (at <= 0 ? count : at) - 1,
    Home: () => 0,
    End: (_, count) => count - 1,
  };
  const step = steps[event.key];
  if (!step || (!menu.open && !event.key.startsWith('Arrow'))) return;
  event.preventDefault();
  menu.open = true;
  const entries = [...menu.querySelectorAll<HTMLElement>('button:not(:disabled)')];
  entries[step(entries.indexOf(event.target as HTMLElement), entries.length)]?.focus();
}
