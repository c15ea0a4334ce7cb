/** Copies a text, and says whether the browser allowed it. */
import { useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { QuietButton } from './quiet-button.tsx';

interface CopyButtonProps {
  text: string;
  /** What is copied, for screen readers. */
  what: string;
  words: { copy: string; copied: string; notCopied: string };
}

export function CopyButton({ text, what, words }: CopyButtonProps) {
  const [result, setResult] = useState<keyof CopyButtonProps['words']>('copy');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      // The browser or the host page does not allow it.
      setResult('notCopied');
    }
  }
  return (
    <QuietButton aria-label={`${words[result]}: ${what}`} onClick={copy}>
      <Icon name={result === 'copied' ? 'check' : 'copy'} />
      {words[result]}
    </QuietButton>
  );
}
