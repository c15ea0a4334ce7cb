/** What a person may do with one endpoint: test, replay, rotate the secret, disable, remove. */
import { useState } from 'preact/hooks';
import type { OperatorWebhookEndpoint, WebhookTestResult } from '../../client/index.ts';
import { readOnlyEventsHint, useOperator } from './operator.ts';
import { Complaint, Done, PanelHeading } from './parts.tsx';
import { useChange } from './requests.ts';
import { Secret } from './secret.tsx';

interface EndpointActionsProps {
  endpoint: OperatorWebhookEndpoint;
  onChanged(): void;
  onRemoved(): void;
}

export function EndpointActions({ endpoint: { id, url, enabled }, onChanged, onRemoved }: EndpointActionsProps) {
  const { webhooks, mayWriteEvents } = useOperator();
  const { complaint, done, run } = useChange();
  const [secret, setSecret] = useState<string>();
  const [result, setResult] = useState('');
  const [isRemoving, setRemoving] = useState(false);
  const common = {
    type: 'button' as const,
    class: 'quiet small',
    disabled: !mayWriteEvents,
    title: mayWriteEvents ? undefined : readOnlyEventsHint,
  };

  async function change<T>(work: Promise<T>, sentence: string, then?: (value: T) => void): Promise<void> {
    setSecret(undefined);
    setResult('');
    if (!(await run(work, sentence))) return;
    then?.(await work);
    onChanged();
  }

  const test = () => change(webhooks.test(id), 'The test was sent.', (answer) => setResult(sentenceOf(answer)));
  const rotate = () => change(webhooks.rotateSecret(id), 'The secret is rotated.', setSecret);
  const toggle = () =>
    change(
      webhooks.update(id, { enabled: !enabled }),
      enabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.',
    );
  async function remove(): Promise<void> {
    if (!isRemoving) return setRemoving(true);
    if (await run(webhooks.remove(id), 'The endpoint is removed.')) onRemoved();
  }

  return (
    <section class="card panel" aria-labelledby="endpoint">
      <PanelHeading id="endpoint">Endpoint {id}</PanelHeading>
      <p class="soft endpoint-url">{url}</p>
      <div class="endpoint-actions">
        <button {...common} onClick={test}>
          Send a test
        </button>
        <button {...common} onClick={rotate}>
          Rotate the secret
        </button>
        <button {...common} onClick={toggle}>
          {enabled ? 'Disable' : 'Enable'}
        </button>
        <button {...common} onClick={remove} onBlur={() => setRemoving(false)}>
          {isRemoving ? 'Remove it and its deliveries?' : 'Remove'}
        </button>
      </div>
      <Replay
        isDisabled={!mayWriteEvents || !enabled}
        onReplay={(from) =>
          change(webhooks.replay(id, { from }), 'The events are sent again.', (count) =>
            setResult(count === 1 ? '1 event is sent again.' : `${count} events are sent again.`),
          )
        }
      />
      <p role="status" class="result">
        {result}
      </p>
      <Secret secret={secret} />
      {secret !== undefined && <p class="soft">For a day both secrets sign, so the receiver can change over.</p>}
      <Complaint text={complaint} />
      <Done text={done} />
    </section>
  );
}

function Replay({ isDisabled, onReplay }: { isDisabled: boolean; onReplay(from: string): void }) {
  function submit(event: Event): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    onReplay(new Date(String(form.get('from'))).toISOString());
  }
  return (
    <form class="find" onSubmit={submit} aria-label="Replay events">
      <label>
        Send everything again from
        <input name="from" type="datetime-local" required />
      </label>
      <button type="submit" class="quiet" disabled={isDisabled}>
        Replay
      </button>
    </form>
  );
}

function sentenceOf({ delivered, status, milliseconds, error }: WebhookTestResult): string {
  if (delivered) return `The receiver took the test with ${status} after ${milliseconds} ms.`;
  return status === null
    ? `The test did not arrive: ${error ?? 'no answer'}.`
    : `The receiver answered the test with ${status}.`;
}
