/** The form that adds a webhook endpoint. */
import { useState } from 'preact/hooks';
import type { EventType } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import { Popover } from '../../ui/popover.tsx';
import { eventTypes } from '../event-types.ts';
import { formatNumber } from '../format.ts';
import { useOperator, useWriteRight } from '../operator.ts';
import { Outcome, Secret } from '../parts.tsx';
import { t } from '../texts.ts';

export function AddEndpoint({ onAdded }: { onAdded(): void }) {
  const { webhooks } = useOperator();
  const adding = useAction();
  const [types, setTypes] = useState<readonly EventType[]>([]);
  const [secret, setSecret] = useState<string>();

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const form = new FormData(element);
    const text = (name: string) => String(form.get(name)).trim();
    await adding.run(async () => {
      setSecret(undefined);
      const description = text('description');
      const added = await webhooks.create({ url: text('url'), types: [...types], ...(description && { description }) });
      setSecret(added.secret);
      setTypes([]);
      element.reset();
      onAdded();
    }, t.webhooks.isAdded);
  }

  return (
    <>
      <form class="find-form wide-form" onSubmit={add} aria-label={t.webhooks.form}>
        <label>
          {t.webhooks.url}
          <input name="url" type="url" required maxLength={2048} placeholder="https://example.com/hooks" />
        </label>
        <label>
          {t.webhooks.description}
          <input name="description" maxLength={256} autoComplete="off" />
        </label>
        <TypeChoice types={types} onChoose={setTypes} />
        <button type="submit" class="primary" aria-disabled={adding.isRunning} {...useWriteRight('webhooks')}>
          {t.common.add}
        </button>
      </form>
      <Secret secret={secret} />
      <Outcome of={adding} />
    </>
  );
}

interface TypeChoiceProps {
  /** None stands for all, also for those that are added later. */
  types: readonly EventType[];
  onChoose(types: readonly EventType[]): void;
}

function TypeChoice({ types, onChoose }: TypeChoiceProps) {
  const [only] = types;
  const count = types.length === 1 ? only : t.webhooks.someTypes(formatNumber(types.length));
  return (
    <Popover class="pill" label={t.webhooks.types} button={types.length === 0 ? t.webhooks.everyType : count}>
      <fieldset class="type-choice">
        <legend>{t.webhooks.typesAbout}</legend>
        {eventTypes.map((type) => (
          <label key={type} class="check-choice">
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={({ currentTarget: { checked } }) =>
                onChoose(checked ? [...types, type] : types.filter((each) => each !== type))
              }
            />
            {type}
          </label>
        ))}
      </fieldset>
    </Popover>
  );
}
