/** Numbers that the rules about destinations do not apply to: who added them, and how they are added and removed. */
import { useRef, useState } from 'preact/hooks';
import { isE164 } from '../../client/index.ts';
import { readOnlyHint, useOperator } from './operator.ts';
import { Complaint, Done, isStale, Loading, PanelHeading, Table, Time, ViewTitle } from './parts.tsx';
import { refreshSeconds, useChange, useRequest } from './requests.ts';

const kinds = {
  number: {
    name: 'One number',
    isValid: isE164,
    example: '+447400123456',
    complaint: 'Give the number with its calling code, such as +447400123456.',
  },
  prefix: {
    name: 'All that start with',
    isValid: (text: string) => /^\+[1-9]\d{2,8}$/.test(text),
    example: '+447400',
    complaint: 'Give + and 3 to 9 digits, such as +447400.',
  },
};
type Kind = keyof typeof kinds;

export function SafeListView() {
  const { desk, mayWrite } = useOperator();
  const entries = useRequest(() => desk.safeList(), [desk], refreshSeconds);
  const { complaint, done, run } = useChange();
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
      desk.addToSafeList(kind === 'prefix' ? { prefix: text } : { phoneNumber: text }),
      'Added to the safe list.',
    );
    // The full number stays on screen no longer than needed.
    if (isAdded) setTyped('');
    entries.refresh();
  }

  async function remove(id: string, label: string): Promise<void> {
    if (await run(desk.removeFromSafeList(id), `Removed ${label} from the safe list.`)) heading.current!.focus();
    entries.refresh();
  }

  return (
    <div class={isStale(entries) ? 'view stale' : 'view'}>
      <ViewTitle title="Safe list" requests={[entries]} />
      <p class="soft lead">
        The rules about destinations (country, number-type, phone-sends, phone-users, prefix, country-sends) do not
        apply to these numbers. The budgets of users, addresses and tokens, the rules about failures and the spending
        limit still apply.
      </p>
      <form class="find" onSubmit={add} aria-label="Add to the safe list">
        <label class="kind">
          Kind
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            {Object.entries(kinds).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {kind === 'prefix' ? 'Prefix' : 'Phone number'}
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
        <button type="submit" class="primary" disabled={!mayWrite} title={mayWrite ? undefined : readOnlyHint}>
          Add
        </button>
      </form>
      <Complaint text={typedComplaint ?? complaint} />
      <Done text={done} />
      <section class="card panel" aria-labelledby="safe">
        <PanelHeading id="safe" headingRef={heading}>
          On the list
        </PanelHeading>
        {!entries.value && !entries.error && <Loading />}
        {entries.value?.length === 0 && <p class="soft">The list is empty: the rules apply to every number.</p>}
        {entries.value && entries.value.length > 0 && (
          <Table
            columns={['Number', 'Kind', 'Added', 'By', 'Action']}
            hasControl
            rows={entries.value.map(({ id, label, isPrefix, addedAt, addedBy }) => ({
              key: id,
              cells: [
                isPrefix ? `${label}…` : label,
                isPrefix ? kinds.prefix.name : kinds.number.name,
                <Time instant={addedAt} />,
                addedBy,
                <button
                  type="button"
                  class="quiet small"
                  aria-label={`Remove ${label}`}
                  disabled={!mayWrite}
                  title={mayWrite ? undefined : readOnlyHint}
                  onClick={() => remove(id, label)}
                >
                  Remove
                </button>,
              ],
            }))}
          />
        )}
      </section>
    </div>
  );
}
