/** Saves an answer of the service as a file. */
import { useRef } from 'preact/hooks';
import { offerFile } from '../../data/offer-file.ts';
import { LedgerlineError } from '../../../client/errors.ts';
import { tooLongSentence } from './statement-limit.ts';
import { sentenceOf } from './states.tsx';
import type { ActivityTexts } from '../../intl/languages/activity-texts.ts';
import { troubleOf } from '../../data/trouble.ts';
import { useViewer } from './viewer.ts';

export type SaveFile = (name: string, request: () => Promise<Response>) => Promise<void>;

function fileSentence(error: unknown, texts: ActivityTexts, locale: string): string {
  // Only a statement is refused because of its range: it would have too many rows, or too much text.
  if (error instanceof LedgerlineError && error.errors.TimestampFrom) return tooLongSentence(texts, locale);
  const trouble = troubleOf(error);
  return trouble.kind === 'error' || trouble.kind === 'busy' ? texts.fileFailed : sentenceOf(trouble, texts);
}

/** `onMessage` is called with the progress, in a short sentence. One file at a time. */
export function useSaveFile(onMessage: (text: string) => void): SaveFile {
  const { texts, locale } = useViewer();
  const isRunning = useRef(false);
  return async (name, request) => {
    if (isRunning.current) return;
    isRunning.current = true;
    onMessage(texts.exporting);
    try {
      const response = await request();
      offerFile(await response.blob(), name);
      onMessage(texts.exported);
    } catch (error) {
      onMessage(fileSentence(error, texts, locale));
    } finally {
      isRunning.current = false;
    }
  };
}
