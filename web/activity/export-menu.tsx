/** Exports exactly the rows of the list: the same filter, as of the same moment. */
import { useRef } from 'preact/hooks';
import type { ExportFormat } from '../../client/index.ts';
import { requestOf, type Filter } from './filter.ts';
import { Icon } from './icons.tsx';
import { sentenceOf } from './states.tsx';
import { troubleOf } from './trouble.ts';
import { useViewer } from './viewer.ts';

interface ExportMenuProps {
  filter: Filter;
  asOf: string | undefined;
  isDisabled: boolean;
  /** Shows a short message. */
  onMessage(text: string): void;
}

export function ExportMenu({ filter, asOf, isDisabled, onMessage }: ExportMenuProps) {
  const { client, individualId, timeZone, texts } = useViewer();
  const menu = useRef<HTMLDetailsElement>(null);

  function close(): void {
    menu.current!.open = false;
    menu.current!.querySelector('summary')!.focus();
  }

  async function save(format: ExportFormat): Promise<void> {
    close();
    onMessage(texts.exporting);
    try {
      const request = { ...requestOf(individualId, filter, timeZone), asOf };
      const response = await client.exportTransactions(request, format);
      offerFile(await response.blob(), `transactions-${individualId}.${format}`);
      onMessage(texts.exported);
    } catch (error) {
      onMessage(sentenceOf(troubleOf(error), texts));
    }
  }

  return (
    <details
      class="export"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && menu.current!.open) close();
      }}
      onFocusOut={(event) => {
        if (!menu.current!.contains(event.relatedTarget as Node | null)) menu.current!.open = false;
      }}
    >
      <summary class={isDisabled ? 'pill disabled' : 'pill'} aria-label={texts.exportAs}>
        <Icon name="export" />
        <span>{texts.exportAs}</span>
      </summary>
      <div class="menu card">
        <button type="button" disabled={isDisabled} onClick={() => save('csv')}>
          {texts.exportCsv}
        </button>
        <button type="button" disabled={isDisabled} onClick={() => save('ndjson')}>
          {texts.exportNdjson}
        </button>
      </div>
    </details>
  );
}

function offerFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
