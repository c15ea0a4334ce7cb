/** The filter of a list in one line: a field, a period, the other fields in a box, and what is on as chips. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Options, type Option } from './options.tsx';
import { Popover, usePopover } from './popover.tsx';
import { QuietButton } from './quiet-button.tsx';

export type FilterValues = Readonly<Record<string, string>>;

export interface FilterField {
  name: string;
  label: string;
  kind: 'text' | 'digits' | 'time' | 'choice';
  /** For a choice: the values with their names. */
  options?: readonly Option[];
  /** For a choice: no value. */
  anyName?: string;
}

export interface FilterTexts {
  filters: string;
  clear: string;
  all: string;
  remove(label: string): string;
  chip(label: string, value: string): string;
  period: string;
  /** The choices of a period, by its value; the one without a value first. */
  periods: Readonly<Record<string, string>>;
  /** The choice of two times. */
  between: string;
}

interface FilterBarProps {
  /** The name of the form. */
  label: string;
  /** The first one is in the line, the others in the box. */
  fields: readonly FilterField[];
  filter: FilterValues;
  texts: FilterTexts;
  /** Whether the list can be limited to a period; its fields are `period`, `from` and `to`. */
  hasPeriod?: boolean;
  formatTime(instant: string): string;
  /** Applied at once. `isTyping` if more changes follow. */
  onChange(filter: Record<string, string>, isTyping: boolean): void;
}

/** How long after a key a text counts as typed. */
const typingMilliseconds = 300;

export function FilterBar(props: FilterBarProps) {
  const { label, fields, filter, texts, hasPeriod, onChange } = props;
  const box = usePopover();
  const place = useRef<HTMLFormElement>(null);
  const [first, ...others] = fields;
  const change = (values: Record<string, string>, isTyping = false) => onChange({ ...filter, ...values }, isTyping);
  const boxed = others.filter(({ kind }) => kind !== 'time');
  const times = others.filter(({ kind }) => kind === 'time');
  const isBetween = times.some(({ name }) => filter[name]);

  function remove(values: Record<string, string>): void {
    change(values);
    // The chip is gone; the focus is not lost.
    place.current!.querySelector<HTMLElement>('.popover-place > button')!.focus();
  }

  return (
    <form ref={place} class="filter-bar" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      <Field field={first!} value={filter[first!.name] ?? ''} isInLine anyName={texts.all} onChange={change} />
      {hasPeriod && (
        <PeriodSelect
          filter={filter}
          texts={texts}
          isBetween={isBetween}
          onChoose={(period) => change({ period, from: '', to: '' })}
          onBetween={box.open}
        />
      )}
      {others.length > 0 && (
        <Popover
          control={box}
          label={texts.filters}
          button={
            <>
              <Icon name="filters" />
              {texts.filters}
            </>
          }
        >
          <div class="filter-fields">
            {[...boxed, ...times].map((field) => (
              <label key={field.name}>
                {field.label}
                <Field
                  field={field}
                  value={filter[field.name] ?? ''}
                  anyName={field.anyName ?? texts.all}
                  onChange={(values, isTyping) =>
                    change(field.kind === 'time' ? { ...values, period: '' } : values, isTyping)
                  }
                />
              </label>
            ))}
          </div>
        </Popover>
      )}
      <Chips {...props} fields={others} onRemove={remove} />
    </form>
  );
}

interface ChipsProps extends Omit<FilterBarProps, 'onChange'> {
  onRemove(values: Record<string, string>): void;
}

function Chips({ fields, filter, texts, formatTime, onRemove }: ChipsProps) {
  const on = fields.filter(({ name }) => filter[name]);
  if (on.length === 0) return null;
  return (
    <>
      {on.map((field) => (
        <span key={field.name} class="filter-chip">
          {texts.chip(field.label, nameOfValue(field, filter[field.name]!, formatTime))}
          <button type="button" aria-label={texts.remove(field.label)} onClick={() => onRemove({ [field.name]: '' })}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <QuietButton onClick={() => onRemove(Object.fromEntries(on.map(({ name }) => [name, ''])))}>
        {texts.clear}
      </QuietButton>
    </>
  );
}

function nameOfValue({ kind, options }: FilterField, value: string, formatTime: (instant: string) => string): string {
  if (kind === 'time') return Number.isNaN(Date.parse(value)) ? value : formatTime(value);
  return options?.find(([each]) => each === value)?.[1] ?? value;
}

interface PeriodSelectProps {
  filter: FilterValues;
  texts: FilterTexts;
  isBetween: boolean;
  onChoose(period: string): void;
  onBetween(): void;
}

const between = 'between';

function PeriodSelect({ filter, texts, isBetween, onChoose, onBetween }: PeriodSelectProps) {
  const known = Object.hasOwn(texts.periods, filter.period ?? '') ? (filter.period ?? '') : '';
  const value = isBetween ? between : known;
  return (
    <select
      class="filter-field"
      aria-label={texts.period}
      value={value}
      onChange={({ currentTarget }) => {
        if (currentTarget.value !== between) return onChoose(currentTarget.value);
        currentTarget.value = value;
        onBetween();
      }}
    >
      <Options of={Object.entries(texts.periods)} />
      <option value={between}>{texts.between}</option>
    </select>
  );
}

interface FieldProps {
  field: FilterField;
  value: string;
  /** Whether it has no label beside it. */
  isInLine?: boolean | undefined;
  anyName: string;
  onChange(values: Record<string, string>, isTyping?: boolean): void;
}

function Field({ field, value, isInLine, anyName, onChange }: FieldProps) {
  const { name, label, kind, options = [] } = field;
  const common = isInLine ? { class: 'filter-field', 'aria-label': label } : {};
  if (kind === 'choice') {
    return (
      <select {...common} value={value} onChange={(event) => onChange({ [name]: event.currentTarget.value })}>
        <option value="">{anyName}</option>
        <Options of={options} />
      </select>
    );
  }
  if (kind === 'time') {
    return (
      <input
        {...common}
        type="datetime-local"
        value={localTime(value)}
        onChange={({ currentTarget }) => onChange({ [name]: utcTime(currentTarget.value) })}
      />
    );
  }
  return <TypedField field={field} value={value} isInLine={isInLine} onChange={onChange} />;
}

/** Applied a moment after the last key, or at once by Enter. */
function TypedField({ field: { name, label, kind }, value, isInLine, onChange }: Omit<FieldProps, 'anyName'>) {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  useLayoutEffect(() => {
    // A value from elsewhere, and not the one that was just typed.
    if (value !== applied.current) setTyped(value);
    applied.current = value;
  }, [value]);
  const apply = () => {
    if (typed.trim() === applied.current) return;
    applied.current = typed.trim();
    onChange({ [name]: typed.trim() }, true);
  };
  useEffect(() => {
    const timer = setTimeout(apply, typingMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      {...(isInLine && { class: 'filter-field', 'aria-label': label, placeholder: label })}
      value={typed}
      maxLength={64}
      autoComplete="off"
      inputMode={kind === 'digits' ? 'numeric' : 'text'}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}

/** The browser's field has a local time without a zone. In the address the time is in UTC. */
function localTime(value: string): string {
  const time = new Date(value);
  if (value === '' || Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function utcTime(value: string): string {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
