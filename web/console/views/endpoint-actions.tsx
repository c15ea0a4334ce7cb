/** What a person may do with one endpoint: test, replay, rotate the secret, disable, remove. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookEndpoint, WebhookTestResult } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import { formatNumber } from '../format.ts';
import { useOperator } from '../operator.ts';
import { Outcome, Secret, WriteButton } from '../parts.tsx';

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
      'The test was sent.',
      (answer) => setResult(sentenceOf(answer)),
    );
  const rotate = () => change(() => webhooks.rotateSecret(id), 'The secret is rotated.', setSecret);
  const toggle = () =>
    change(
      () => webhooks.update(id, { enabled: !enabled }),
      enabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.',
    );
  async function remove({ detail }: MouseEvent): Promise<void> {
    // The second click of a double click must not confirm.
    if (detail > 1) return;
    if (!isRemoving) return setRemoving(true);
    if (await run(() => webhooks.remove(id), 'The endpoint is removed.')) onRemoved();
  }

  return (
    <div>
      <p class="soft endpoint-url">{url}</p>
      <div class="endpoint-actions">
        <WriteButton of="webhooks" aria-disabled={isRunning} onClick={test}>
          Send a test
        </WriteButton>
        <WriteButton of="webhooks" aria-disabled={isRunning} onClick={rotate}>
          Rotate the secret
        </WriteButton>
        <WriteButton of="webhooks" aria-disabled={isRunning} onClick={toggle}>
          {enabled ? 'Disable' : 'Enable'}
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
            {isRemoving ? 'Remove it and its deliveries?' : 'Remove'}
          </WriteButton>
        </div>
      </div>
      <Replay
        isDisabled={!mayWriteEvents || !enabled}
        isRunning={isRunning}
        onReplay={(from) =>
          change(
            () => webhooks.replay(id, { from }),
            'The events are sent again.',
            (count) =>
              setResult(count === 1 ? '1 event is sent again.' : `${formatNumber(count)} events are sent again.`),
          )
        }
      />
      <p role="status" class="action-result">
        {result}
      </p>
      <Secret secret={secret} />
      {secret !== undefined && (
        <p class="soft">For a day both secrets are used to sign, so that the receiver can switch to the new one.</p>
      )}
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
    <form class="find-form" onSubmit={submit} aria-label="Replay events">
      <label>
        Send everything again from
        <input name="from" type="datetime-local" required />
      </label>
      <button type="submit" class="quiet" disabled={isDisabled} aria-disabled={isRunning}>
        Replay
      </button>
    </form>
  );
}

function sentenceOf({ delivered, status, milliseconds, error }: WebhookTestResult): string {
  if (delivered) return `The receiver accepted the test with ${status} after ${formatNumber(milliseconds)} ms.`;
  return status === null
    ? `The test did not arrive: ${error ?? 'no answer'}.`
    : `The receiver answered the test with ${status}.`;
}
