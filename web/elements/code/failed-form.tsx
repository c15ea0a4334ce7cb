/** Instead of a form that could not be drawn. */
import type { CodeTexts } from '../../intl/languages/en.ts';
import type { LanguageAttributes } from '../../intl/locale.ts';

interface FailedFormProps {
  texts: CodeTexts;
  language: LanguageAttributes;
  onRetry(): void;
}

export function FailedForm({ texts, language, onRetry }: FailedFormProps) {
  return (
    <div class="done" {...language}>
      <p class="complaint" part="message" role="alert">
        {texts.failed}
      </p>
      <button type="button" class="primary" part="button" onClick={onRetry}>
        {texts.retry}
      </button>
    </div>
  );
}
