/** What a person may do with one endpoint: test, replay, rotate the secret, disable, remove. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookEndpoint, WebhookTestResult } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import { formatNumber } from '../format.ts';
import { useOperator } from '../operator.ts';
import { Outcome, Secret, WriteButton } from '../parts.tsx';
import { t } from '../texts.ts';

interface EndpointActionsProps {
  endpoint: OperatorWebhookEndpoint;
  onChanged(): void;
  onRemoved(): void;
}

export function EndpointActions({ endpoint: { id, url, enabled }, onChanged, onRemoved }: EndpointActionsProps) {
  const { webhooks, mayWriteEvents } = useOperator();
  const action = useAction();
  const { isRunning, run } = action;
  const [secret, setSecret] = useState<string>();
  const [result, setResult] = useState('');
  const [isRemoving, setRemoving] = useState(false);
  async function change<T>(work: () => Promise<T>, sentence: string, then?: (value: T) => void): Promise<void> {
    await run(async () => {
      setSecret(undefined);
      setResult('');
      const value = await work();
      then?.(value);
      onChanged();
    }, sentence);
  }

  const test = () =>
    change(
      () => webhooks.test(id),
      t.webhooks.testSent,
      (answer) => setResult(sentenceOf(answer)),
    );
  const rotate = () => change(() => webhooks.rotateSecret(id), t.webhooks.rotated, setSecret);
  const toggle = () =>
    change(() => webhooks.update(id, { enabled: !enabled }), enabled ? t.webhooks.isDisabled : t.webhooks.isEnabled);
  async function remove({ detail }: MouseEvent): Promise<void> {
    // The second click of a double click must not confirm.
    if (detail > 1) return;
    if (!isRemoving) return setRemoving(true);
    if (await run(() => webhooks.remove(id), t.webhooks.isRemoved)) onRemoved();
  }

  return (
    <div>
      <p class="soft endpoint-url">{url}</p>
      <div class="endpoint-actions">
        <WriteButton of="webhooks" aria-disabled={isRunning} onClick={test}>
          {t.webhooks.test}
        </WriteButton>
        <WriteButton of="webhooks" aria-disabled={isRunning} onClick={rotate}>
          {t.webhooks.rotate}
        </WriteButton>
        <WriteButton of="webhooks" aria-disabled={isRunning} onClick={toggle}>
          {enabled ? t.webhooks.disable : t.webhooks.enable}
        </WriteButton>
        {/* In a line of its own: the longer text must not move it away from the pointer. */}
        <div class="own-line">
          <WriteButton
            of="webhooks"
            aria-disabled={isRunning}
            onClick={remove}
            onBlur={() => setRemoving(false)}
            // A key that is held down must not confirm either.
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          >
            {isRemoving ? t.webhooks.removeReally : t.common.remove}
          </WriteButton>
        </div>
      </div>
      <Replay
        isDisabled={!mayWriteEvents || !enabled}
        isRunning={isRunning}
        onReplay={(from) =>
          change(
            () => webhooks.replay(id, { from }),
            t.webhooks.replaying,
            (count) => setResult(count === 1 ? t.webhooks.replayedOne : t.webhooks.replayed(formatNumber(count))),
          )
        }
      />
      <p role="status" class="action-result">
        {result}
      </p>
      <Secret secret={secret} />
      {secret !== undefined && <p class="soft">{t.webhooks.bothSign}</p>}
      <Outcome of={action} />
    </div>
  );
}

interface ReplayProps {
  isDisabled: boolean;
  isRunning: boolean;
  onReplay(from: string): void;
}

function Replay({ isDisabled, isRunning, onReplay }: ReplayProps) {
  function submit(event: Event): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    onReplay(new Date(String(form.get('from'))).toISOString());
  }
  return (
    <form class="find-form" onSubmit={submit} aria-label={t.webhooks.replayForm}>
      <label>
        {t.webhooks.replayFrom}
        <input name="from" type="datetime-local" required />
      </label>
      <button type="submit" class="quiet" disabled={isDisabled} aria-disabled={isRunning}>
        {t.webhooks.replay}
      </button>
    </form>
  );
}

function sentenceOf({ delivered, status, milliseconds, error }: WebhookTestResult): string {
  if (delivered) return t.webhooks.testTaken(String(status), formatNumber(milliseconds));
  return status === null ? t.webhooks.testLost(error ?? t.webhooks.noAnswer) : t.webhooks.testAnswered(String(status));
}
