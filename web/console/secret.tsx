/** A secret that is shown once. */
import { t } from './texts.ts';

export function Secret({ secret }: { secret: string | undefined }) {
  return (
    <div role="status">
      {secret !== undefined && (
        <p class="secret">
          {t.webhooks.secret}
          <code>{secret}</code>
        </p>
      )}
    </div>
  );
}
