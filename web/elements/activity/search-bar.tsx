/** Search, filters and the jump to a date, which stay at the top while the list scrolls. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { nameOf } from '../../../src/words/words.ts';
import type { Filter } from './filter.ts';
import { Icon } from '../../ui/icons.tsx';
import { formatMoney, parseAmount } from '../../intl/money.ts';
import { useViewer } from './viewer.ts';

/** The search starts this long after the last key press. */
const typingMilliseconds = 250;

export function Search({ value, onSearch }: { value: string; onSearch(text: string): void }) {
  const { texts } = useViewer();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(value);
  useLayoutEffect(() => {
    // Text that was typed since is kept; only a change from elsewhere replaces it.
    if (searched.current !== value) input.current!.value = value;
    searched.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        part="search"
        maxLength={256}
        defaultValue={value}
        placeholder={texts.search}
        aria-label={texts.searchLabel}
        onInput={(event) => {
          const text = event.currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            searched.current = text;
            onSearch(text);
          }, typingMilliseconds);
        }}
      />
    </div>
  );
}

export function FilterButton({ filter, onOpen }: { filter: Filter; onOpen(): void }) {
  const { texts } = useViewer();
  const count = sheetFilters(filter);
  return (
    <button
      type="button"
      class="pill"
      // Shown by the style sheet, so that the visible text stays a part of the name.
      data-count={count || undefined}
      aria-label={count > 0 ? texts.filtersOn(count) : texts.filters}
      aria-haspopup="dialog"
      onClick={onOpen}
    >
      <Icon name="filters" />
      <span class="wide">{texts.filters}</span>
    </button>
  );
}

/** The number of filters that are set in the sheet; direction and search have their own controls. */
function sheetFilters({ from, to, amountFrom, amountTo, type, status, currency }: Filter): number {
  return [from || to, amountFrom || amountTo, type, status, currency].filter(Boolean).length;
}

interface JumpToProps {
  newest: string | undefined;
  oldest: string | undefined;
  onJump(date: string): void;
}

/** While the digits of a year are typed, it is one of the first years for a moment. Enter jumps there too. */
const firstTypedDay = '1000-01-01';

export function JumpTo({ newest, oldest, onJump }: JumpToProps) {
  const { texts } = useViewer();
  const input = useRef<HTMLInputElement>(null);

  function openPicker(): void {
    // So that the same day can be chosen again.
    input.current!.value = '';
    input.current!.showPicker?.();
  }

  return (
    <div class="jump pill">
      <Icon name="calendar" />
      <span class="wide" aria-hidden="true">
        {texts.jump}
      </span>
      <input
        ref={input}
        type="date"
        aria-label={texts.jump}
        disabled={newest === undefined}
        min={oldest}
        max={newest}
        onClick={openPicker}
        onChange={({ currentTarget: { value } }) => value >= firstTypedDay && onJump(value)}
        onKeyDown={({ key, currentTarget: { value } }) => key === 'Enter' && value && onJump(value)}
      />
    </div>
  );
}

interface ChipsProps {
  filter: Filter;
  /** How many rows match, in words; empty without a filter. */
  results: string;
  onChange(members: Partial<Filter>): void;
}

/** The direction, the filters that are set, and an offer to search for an amount. */
export function Chips({ filter, results, onChange }: ChipsProps) {
  const { texts, locale } = useViewer();
  const directions = [
    ['', texts.all],
    ['Credit', texts.moneyIn],
    ['Debit', texts.moneyOut],
  ] as const;
  const amount = /\p{Nd}/u.test(filter.search) ? parseAmount(filter.search, locale) : undefined;
  return (
    <div class="chips">
      <div class="segment-group" role="group" aria-label={texts.direction}>
        {directions.map(([category, name]) => (
          <button
            type="button"
            key={category}
            aria-pressed={filter.category === category}
            onClick={() => onChange({ category })}
          >
            {name}
          </button>
        ))}
      </div>
      {amount !== undefined && (
        <button
          type="button"
          class="chip offer"
          onClick={() => onChange({ search: '', amountFrom: amount, amountTo: amount })}
        >
          <Icon name="search" />
          {texts.amountOf(filter.currency ? formatMoney(locale, amount, filter.currency) : filter.search.trim())}
        </button>
      )}
      {useSetFilters(filter).map(({ text, without }) => (
        <button
          type="button"
          key={Object.keys(without).join()}
          class="chip on"
          aria-label={texts.clearOne(text)}
          onClick={() => onChange(without)}
        >
          {text}
          <Icon name="close" />
        </button>
      ))}
      {/* Said by the status under the title. */}
      {results && (
        <span class="results" aria-hidden="true">
          {results}
        </span>
      )}
    </div>
  );
}

interface SetFilter {
  text: string;
  /** The change that removes it. */
  without: Partial<Filter>;
}

function useSetFilters(filter: Filter): SetFilter[] {
  const { texts, dates, locale } = useViewer();
  const amount = (text: string) => (filter.currency ? formatMoney(locale, text, filter.currency) : text);
  const filters: SetFilter[] = [];
  if (filter.from || filter.to) {
    const [from, to] = [filter.from, filter.to].map((day) => day && dates.shortDay(day)) as [string, string];
    filters.push({ text: rangeText(from, to, texts.sinceDay, texts.untilDay), without: { from: '', to: '' } });
  }
  if (filter.amountFrom || filter.amountTo) {
    const [from, to] = [filter.amountFrom, filter.amountTo].map((text) => text && amount(text)) as [string, string];
    const [least, most] = [texts.least, texts.most].map((name) => (text: string) => `${name} ${text}`) as Bound[];
    filters.push({ text: rangeText(from, to, least!, most!), without: { amountFrom: '', amountTo: '' } });
  }
  if (filter.type) filters.push({ text: nameOf(texts.types, filter.type), without: { type: '' } });
  if (filter.status) filters.push({ text: nameOf(texts.statuses, filter.status), without: { status: '' } });
  if (filter.currency) filters.push({ text: filter.currency, without: { currency: '' } });
  return filters;
}

type Bound = (text: string) => string;

function rangeText(from: string, to: string, lower: Bound, upper: Bound): string {
  if (from === to) return from;
  return from && to ? `${from} – ${to}` : from ? lower(from) : upper(to);
}
