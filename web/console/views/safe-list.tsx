/** Numbers that the rules about destinations do not apply to: who added them, and how they are added and removed. */
import { useRef, useState } from 'preact/hooks';
import { isE164 } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import { useResource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Options } from '../../ui/options.tsx';
import { Content, Panel } from '../frame.tsx';
import { refreshSeconds, useOperator, useWriteRight } from '../operator.ts';
import { Outcome, Time, WriteButton } from '../parts.tsx';
import { t } from '../texts.ts';

const kinds = {
  number: {
    name: t.safeList.number,
    isValid: isE164,
    example: '+447400123456',
    complaint: t.safeList.badNumber('+447400123456'),
  },
  prefix: {
    name: t.safeList.prefix,
    isValid: (text: string) => /^\+[1-9]\d{2,8}$/.test(text),
    example: '+447400',
    complaint: t.safeList.badPrefix('+447400'),
  },
};
type Kind = keyof typeof kinds;

export function SafeListView() {
  const { operations } = useOperator();
  const entries = useResource([operations], (options) => operations.safeList(options), {
    everySeconds: refreshSeconds,
  });
  const change = useAction();
  const { isRunning, run } = change;
  const [kind, setKind] = useState<Kind>('number');
  const [typed, setTyped] = useState('');
  const [typedComplaint, setTypedComplaint] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const text = typed.replace(/[\s().-]/g, '');
    field.current!.focus();
    if (!kinds[kind].isValid(text)) return setTypedComplaint(kinds[kind].complaint);
    setTypedComplaint(undefined);
    const isAdded = await run(
      () => operations.addToSafeList(kind === 'prefix' ? { prefix: text } : { phoneNumber: text }),
      t.safeList.added,
    );
    // The full number is not shown longer than needed.
    if (isAdded) setTyped('');
    entries.refresh();
  }

  async function remove(id: string, label: string): Promise<void> {
    if (await run(() => operations.removeFromSafeList(id), t.safeList.removed(label))) heading.current!.focus();
    entries.refresh();
  }

  return (
    <>
      <p class="soft lead-text">{t.safeList.lead}</p>
      <form class="find-form" onSubmit={add} aria-label={t.safeList.form}>
        <label class="kind-field">
          {t.safeList.kind}
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            <Options of={Object.entries(kinds).map(([value, { name }]) => [value, name] as const)} />
          </select>
        </label>
        <label>
          {kind === 'prefix' ? t.safeList.prefixLabel : t.safeList.phoneNumber}
          <input
            ref={field}
            type="tel"
            value={typed}
            autoComplete="off"
            placeholder={kinds[kind].example}
            aria-invalid={typedComplaint !== undefined}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" aria-disabled={isRunning} {...useWriteRight()}>
          {t.common.add}
        </button>
      </form>
      {typedComplaint !== undefined && <Notice text={typedComplaint} />}
      <Outcome of={typedComplaint === undefined ? change : { ...change, error: undefined }} />
      <Panel title={t.safeList.onList} headingRef={heading}>
        <Content of={entries} none={t.safeList.empty}>
          {(list) => (
            <DataTable
              columns={[
                t.safeList.columnNumber,
                t.safeList.kind,
                t.safeList.columnAdded,
                t.safeList.columnBy,
                t.guard.action,
              ]}
              hasControl
              rows={list.map(({ id, label, isPrefix, addedAt, addedBy }) => ({
                key: id,
                cells: [
                  isPrefix ? `${label}…` : label,
                  kinds[isPrefix ? 'prefix' : 'number'].name,
                  <Time instant={addedAt} />,
                  addedBy,
                  <WriteButton
                    aria-label={t.safeList.removeOf(label)}
                    aria-disabled={isRunning}
                    onClick={() => remove(id, label)}
                  >
                    {t.common.remove}
                  </WriteButton>,
                ],
              }))}
            />
          )}
        </Content>
      </Panel>
    </>
  );
}
