/** Saves an answer of the service as a file. */
import { useRef } from 'preact/hooks';
import { offerFile } from '../../data/offer-file.ts';
import { LedgerlineError } from '../../../client/errors.ts';
import { tooLongSentence } from './statement-limit.ts';
import { sentenceOf } from './states.tsx';
import type { ActivityTexts } from '../../intl/languages/activity-texts.ts';
import { troubleOf } from '../../data/trouble.ts';
import { useViewer } from './viewer.ts';

/** `rows`: how many rows the file has, if they may be many. */
export type SaveFile = (name: string, request: () => Promise<Response>, rows?: number) => Promise<void>;

/** A file with more rows is written while it arrives, where the browser can do that, instead of being held in memory. */
const streamedRows = 10_000;

/** An answer of which nothing arrives for so long is given up. */
const silentSeconds = 60;

/** Not in every browser, and not yet in the types. */
interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

function fileSentence(error: unknown, texts: ActivityTexts, locale: string): string {
  // Only a statement is refused because of its range: it would have too many rows, or too much text.
  if (error instanceof LedgerlineError && error.errors.TimestampFrom) return tooLongSentence(texts, locale);
  const trouble = troubleOf(error);
  return trouble.kind === 'error' || trouble.kind === 'busy' ? texts.fileFailed : sentenceOf(trouble, texts);
}

/** Asks where to put the file, which a browser allows only right after a press. Undefined if nothing can be written while it arrives. */
async function pickFile(suggestedName: string, rows: number): Promise<FileSystemFileHandle | undefined> {
  const { showSaveFilePicker } = window as FilePicker;
  if (rows <= streamedRows || !showSaveFilePicker) return undefined;
  try {
    return await showSaveFilePicker.call(window, { suggestedName });
  } catch (error) {
    // In a frame of another origin it is not allowed.
    if (error instanceof DOMException && error.name === 'SecurityError') return undefined;
    throw error;
  }
}

/** Fails when nothing has arrived for too long. */
function untilSilent(): TransformStream<Uint8Array, Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (stream: TransformStreamDefaultController) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => stream.error(new LedgerlineError('offline', 'The file stopped arriving.')),
      silentSeconds * 1000,
    );
  };
  return new TransformStream({
    start: wait,
    transform(chunk, stream) {
      wait(stream);
      stream.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
}

async function write(response: Response, file: FileSystemFileHandle | undefined, name: string): Promise<void> {
  const body = response.body!.pipeThrough(untilSilent());
  // If the answer breaks off, the file stays as it was before.
  if (file) await body.pipeTo(await file.createWritable());
  else offerFile(await new Response(body, { headers: response.headers }).blob(), name);
}

/** The person has closed the dialog. */
function isDeclined(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** `onMessage` is called with the progress, in a short sentence. A file that is being saved is not started again. */
export function useSaveFile(onMessage: (text: string) => void): SaveFile {
  const { texts, locale } = useViewer();
  const running = useRef(new Set<string>()).current;
  return async (name, request, rows = 0) => {
    if (running.has(name)) return onMessage(texts.exporting);
    running.add(name);
    try {
      const file = await pickFile(name, rows);
      onMessage(texts.exporting);
      await write(await request(), file, name);
      onMessage(texts.exported);
    } catch (error) {
      onMessage(isDeclined(error) ? '' : fileSentence(error, texts, locale));
    } finally {
      running.delete(name);
    }
  };
}
