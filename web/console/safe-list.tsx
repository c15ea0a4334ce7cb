/** Numbers that the rules about destinations leave alone: who put them there, and how they get on and off. */
import { useRef, useState } from 'preact/hooks';
import { isE164, type OperatorFunctions } from '../../client/index.ts';
import { refreshSeconds, useAsked, useChange } from './ask.ts';
import { at, Complaint, Loading, PanelHeading, Said, Table } from './parts.tsx';

const kinds = {
  number: {
    name: 'One number',
    fits: isE164,
    example: '+447911123456',
    wrong: 'Give the number with its country, such as +447911123456.',
  },
  prefix: {
    name: 'All that start with',
    fits: (text: string) => /^\+[1-9]\d{2,8}$/.test(text),
    example: '+447911',
    wrong: 'Give + and 3 to 9 digits, such as +447911.',
  },
};
type Kind = keyof typeof kinds;

export function SafeListView({ desk }: { desk: OperatorFunctions }) {
  const entries = useAsked(() => desk.safeList(), [desk], refreshSeconds);
  const { complaint, said, run } = useChange();
  const [kind, setKind] = useState<Kind>('number');
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const text = typed.replace(/[\s().-]/g, '');
    field.current!.focus();
    if (!kinds[kind].fits(text)) return setWrong(kinds[kind].wrong);
    setWrong(undefined);
    const added = await run(
      desk.addToSafeList(kind === 'prefix' ? { prefix: text } : { phoneNumber: text }),
      'It stands on the safe list.',
    );
    // The number in full stays no longer than it is needed.
    if (added) setTyped('');
    entries.again();
  }

  async function remove(id: string, label: string): Promise<void> {
    if (await run(desk.removeFromSafeList(id), `${label} is off the safe list.`)) heading.current!.focus();
    entries.again();
  }

  return (
    <>
      <header class="view-title">
        <h1>Safe list</h1>
      </header>
      <p class="soft lead">
        The rules about destinations (country, number-type, phone-sends, phone-users, prefix, country-sends) leave these
        numbers alone. The budgets of users, addresses and tokens, the rules about failures and what may be spent hold
        all the same.
      </p>
      <form class="find" onSubmit={add} aria-label="Put on the safe list">
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
            aria-invalid={wrong !== undefined}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Add
        </button>
      </form>
      <Complaint text={wrong ?? complaint ?? entries.error} />
      <Said text={said} />
      <section class="card panel" aria-labelledby="safe">
        <PanelHeading id="safe" of={heading}>
          On the list
        </PanelHeading>
        {!entries.value && !entries.error && <Loading />}
        {entries.value?.length === 0 && <p class="soft">The list is empty: the rules hold for every number.</p>}
        {entries.value && entries.value.length > 0 && (
          <Table
            columns={['Number', 'Kind', 'Added', 'By', 'Action']}
            rows={entries.value.map(({ id, label, isPrefix, addedAt, addedBy }) => ({
              key: id,
              cells: [
                isPrefix ? `${label}…` : label,
                isPrefix ? kinds.prefix.name : kinds.number.name,
                at(addedAt),
                addedBy,
                <button
                  type="button"
                  class="quiet small"
                  aria-label={`Remove ${label}`}
                  onClick={() => remove(id, label)}
                >
                  Remove
                </button>,
              ],
            }))}
          />
        )}
      </section>
    </>
  );
}
