/** The filter of a list. It is kept in the address, so that a filtered view can be linked. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Filter } from './hrefs.ts';
import { formatNumber } from './format.ts';
import { t } from './texts.ts';

export interface FilterField {
  name: string;
  label: string;
  kind: 'text' | 'user' | 'time' | 'choice';
  /** For a choice: the values with their names. The first one, without a value, is `anyName`. */
  options?: readonly (readonly [value: string, name: string])[];
  anyName?: string;
}

interface FilterFormProps {
  /** The name of the form. */
  label: string;
  fields: readonly FilterField[];
  filter: Filter;
  onSearch(filter: Record<string, string>): void;
}

const isNarrow = () => matchMedia('(max-width: 44rem)').matches;

/** On a phone it is closed at first, so that the list is visible. */
export function FilterForm({ label, fields, filter, onSearch }: FilterFormProps) {
  const given = Object.fromEntries(fields.map(({ name, kind }) => [name, shownValue(kind, filter[name] ?? '')]));
  const [typed, setTyped] = useState(given);
  useLayoutEffect(() => setTyped(given), [JSON.stringify(given)]);
  const [isOpen] = useState(() => !isNarrow());
  const count = Object.values(given).filter(Boolean).length;

  function submit(event: Event): void {
    event.preventDefault();
    onSearch(Object.fromEntries(fields.map(({ name, kind }) => [name, keptValue(kind, typed[name] ?? '')])));
  }

  return (
    <details class="filters" open={isOpen}>
      <summary>{count > 0 ? t.common.filtersOn(formatNumber(count)) : t.common.filter}</summary>
      <form class="find long" onSubmit={submit} aria-label={label}>
        {fields.map((field) => (
          <label key={field.name} class={field.kind === 'user' ? 'kind' : undefined}>
            {field.label}
            <Field
              field={field}
              value={typed[field.name] ?? ''}
              onInput={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
            />
          </label>
        ))}
        <button type="submit" class="primary">
          {t.common.search}
        </button>
        {count > 0 && (
          <button type="button" class="quiet" onClick={() => onSearch({})}>
            {t.common.clear}
          </button>
        )}
      </form>
    </details>
  );
}

interface FieldProps {
  field: FilterField;
  value: string;
  onInput(value: string): void;
}

function Field({ field: { kind, options = [], anyName = t.common.all }, value, onInput }: FieldProps) {
  if (kind === 'choice') {
    return (
      <select value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        <option value="">{anyName}</option>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    );
  }
  const common = { value, autoComplete: 'off', onInput: (event: InputEvent) => onInput(valueOf(event)) };
  if (kind === 'time') return <input type="datetime-local" {...common} />;
  if (kind === 'text') return <input maxLength={64} {...common} />;
  return <input inputMode="numeric" pattern="[1-9][0-9]{0,9}" title={t.common.userId} {...common} />;
}

const valueOf = (event: InputEvent) => (event.currentTarget as HTMLInputElement).value;

/** The browser's field has a local time without a zone. In the address the time is in UTC. */
function shownValue(kind: FilterField['kind'], value: string): string {
  if (kind !== 'time' || value === '') return value;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function keptValue(kind: FilterField['kind'], value: string): string {
  return kind === 'time' && value !== '' ? new Date(value).toISOString() : value.trim();
}
