/** The sheet in which dates, amounts, type, status and currency are filtered. */
import { useState } from 'preact/hooks';
import { nameOf } from '../../../src/words/words.ts';
import { addDays } from '../../intl/dates.ts';
import { noFilter, type Filter } from './filter.ts';
import { isGreater, parseAmount } from '../../intl/money.ts';
import { Options } from '../../ui/options.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { useViewer } from './viewer.ts';

/** Without it a browser offers years of six digits. */
const lastDay = '9999-12-31';

export interface FilterSheetProps {
  filter: Filter;
  today: string;
  currencies: string[];
  /** Types and statuses that occur in the rows, in addition to those that the screen has names for. */
  types: string[];
  statuses: string[];
  onApply(filter: Filter): void;
  onClose(): void;
}

export function FilterSheet({ filter, today, currencies, types, statuses, onApply, onClose }: FilterSheetProps) {
  const { texts, locale } = useViewer();
  const [draft, setDraft] = useState(filter);
  const [complaint, setComplaint] = useState<string>();
  const change = (members: Partial<Filter>) => setDraft({ ...draft, ...members });
  const onInput = (name: keyof Filter) => (event: Event) =>
    change({ [name]: (event.currentTarget as HTMLInputElement).value });

  function submit(event: Event): void {
    event.preventDefault();
    const amounts = [draft.amountFrom, draft.amountTo].map((text) => text.trim() && parseAmount(text, locale));
    const [amountFrom, amountTo] = amounts;
    if (amountFrom === undefined || amountTo === undefined) {
      return setComplaint(texts.badAmount((1000.5).toLocaleString(locale, { minimumFractionDigits: 2 })));
    }
    const areDatesCrossed = draft.from && draft.to && draft.from > draft.to;
    const areAmountsCrossed = amountFrom && amountTo && isGreater(amountFrom, amountTo);
    const crossed = areDatesCrossed ? texts.dates : areAmountsCrossed ? texts.amount : undefined;
    if (crossed) return setComplaint(`${crossed}: ${texts.badRange}`);
    const [type, status, currency] = [draft.type, draft.status, draft.currency].map((text) => text.trim());
    onApply({ ...draft, type: type!, status: status!, currency: currency!, amountFrom, amountTo });
  }

  return (
    <Sheet title={texts.filters} closeText={texts.close} onClose={onClose}>
      <form class="filters" onSubmit={submit} noValidate>
        <fieldset>
          <legend>{texts.dates}</legend>
          <div class="chips">
            {rangesUpTo(today).map(({ name, from, to }) => (
              <button
                type="button"
                key={name}
                class="chip"
                aria-pressed={draft.from === from && draft.to === to}
                onClick={() => change({ from, to })}
              >
                {texts[name]}
              </button>
            ))}
          </div>
          <div class="pair">
            <label>
              {texts.from}
              <input type="date" value={draft.from} max={draft.to || lastDay} onInput={onInput('from')} />
            </label>
            <label>
              {texts.to}
              <input type="date" value={draft.to} min={draft.from || undefined} max={lastDay} onInput={onInput('to')} />
            </label>
          </div>
        </fieldset>
        <fieldset>
          <legend>{texts.amount}</legend>
          <div class="pair">
            <label>
              {texts.least}
              <input inputMode="decimal" value={draft.amountFrom} onInput={onInput('amountFrom')} autoComplete="off" />
            </label>
            <label>
              {texts.most}
              <input inputMode="decimal" value={draft.amountTo} onInput={onInput('amountTo')} autoComplete="off" />
            </label>
          </div>
        </fieldset>
        <Choice
          label={texts.type}
          value={draft.type}
          names={texts.types}
          found={types}
          onChange={(type) => change({ type })}
        />
        <Choice
          label={texts.status}
          value={draft.status}
          names={texts.statuses}
          found={statuses}
          onChange={(status) => change({ status })}
        />
        {(currencies.length > 1 || draft.currency) && (
          <Choice
            label={texts.currency}
            value={draft.currency}
            found={currencies}
            onChange={(currency) => change({ currency })}
          />
        )}
        {complaint && (
          <p class="complaint" role="alert">
            {complaint}
          </p>
        )}
        <footer>
          <button type="button" class="quiet" onClick={() => onApply(noFilter)}>
            {texts.clear}
          </button>
          <button type="submit" class="primary">
            {texts.apply}
          </button>
        </footer>
      </form>
    </Sheet>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  /** Names of known values; undefined if the values are their own names. */
  names?: Record<string, string>;
  /** Values that occur. */
  found: string[];
  onChange(value: string): void;
}

/** The option for other values: it shows a text field in which any value can be typed. */
const otherOption = '\u0000other';

/** The values are an open set, so a value that is not offered can be typed. */
function Choice({ label, value, names, found, onChange }: ChoiceProps) {
  const { texts } = useViewer();
  const [isTyped, setTyped] = useState(false);
  const offered = [...new Set([...Object.keys(names ?? {}), ...found, ...(value && !isTyped ? [value] : [])])];

  function choose(option: string): void {
    setTyped(option === otherOption);
    onChange(option === otherOption ? '' : option);
  }

  return (
    <div class="choice">
      <label>
        {label}
        <select value={isTyped ? otherOption : value} onInput={(event) => choose(event.currentTarget.value)}>
          <option value="">{texts.any}</option>
          <Options of={offered.map((code) => [code, names ? nameOf(names, code) : code] as const)} />
          <option value={otherOption}>{texts.other}</option>
        </select>
      </label>
      {isTyped && (
        <input
          aria-label={texts.otherValue(label)}
          maxLength={64}
          autoComplete="off"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function rangesUpTo(today: string) {
  const month = today.slice(0, 7);
  const lastMonthEnd = addDays(`${month}-01`, -1);
  return [
    { name: 'thisMonth', from: `${month}-01`, to: today },
    { name: 'lastMonth', from: `${lastMonthEnd.slice(0, 7)}-01`, to: lastMonthEnd },
    { name: 'last90', from: addDays(today, -89), to: today },
    { name: 'thisYear', from: `${today.slice(0, 4)}-01-01`, to: today },
  ] as const;
}
