/** Saves an answer of the service as a file. */
import { useRef } from 'preact/hooks';
import { offerFile } from '../offer-file.ts';
import { sentenceOf } from './states.tsx';
import { troubleOf } from './trouble.ts';
import { useViewer } from './viewer.ts';

export type SaveFile = (name: string, request: () => Promise<Response>) => Promise<void>;

/** `onMessage` is called with the progress, in a short sentence. One file at a time. */
export function useSaveFile(onMessage: (text: string) => void): SaveFile {
  const { texts } = useViewer();
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
      onMessage(sentenceOf(troubleOf(error), texts));
    } finally {
      isRunning.current = false;
    }
  };
}
