/** A button with the flag and the calling code, which opens a list of countries with a search field. */
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/icons.tsx';
import { useFocusLeft } from '../../ui/use-focus-left.ts';
import { findCountries, type Country } from '../../intl/countries.ts';
import { useForm } from './form.ts';

interface CountryPickerProps {
  countries: Country[];
  country: Country;
  onChoose(code: string): void;
}

export function CountryPicker({ countries, country, onChoose }: CountryPickerProps) {
  const { texts } = useForm();
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useFocusLeft(box, () => setOpen(false));

  function close(): void {
    setOpen(false);
    button.current!.focus();
  }

  return (
    <div class="country" ref={box}>
      <button
        ref={button}
        type="button"
        class="pill"
        part="country"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <span class="flag" aria-hidden="true">
          {country.flag}
        </span>
        <span class="unseen">{texts.country(country.name)} </span>
        <bdi dir="ltr">+{country.callingCode}</bdi>
        <Icon name="below" />
      </button>
      {isOpen && (
        <CountryList
          countries={countries}
          chosen={country.code}
          onClose={close}
          onChoose={(code) => {
            onChoose(code);
            close();
          }}
        />
      )}
    </div>
  );
}

interface CountryListProps {
  countries: Country[];
  chosen: string;
  onChoose(code: string): void;
  onClose(): void;
}

/** The search field keeps the focus; the arrow keys move through the list (ARIA combobox). */
function CountryList({ countries, chosen, onChoose, onClose }: CountryListProps) {
  const { texts } = useForm();
  const id = useId();
  const [search, setSearch] = useState('');
  const found = useMemo(() => findCountries(countries, search), [countries, search]);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      countries.findIndex(({ code }) => code === chosen),
    ),
  );
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  // Before the next paint, so that what a fast user types immediately goes to the search.
  useLayoutEffect(() => input.current!.focus(), []);
  useLayoutEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active, found]);

  function onKeyDown(event: KeyboardEvent): void {
    // The Enter that ends a composition (Japanese, Chinese) chooses characters, not a country.
    if (event.isComposing) return;
    const last = found.length - 1;
    const moves: Record<string, () => void> = {
      ArrowDown: () => setActive(Math.min(active + 1, last)),
      ArrowUp: () => setActive(Math.max(active - 1, 0)),
      PageDown: () => setActive(Math.min(active + 6, last)),
      PageUp: () => setActive(Math.max(active - 6, 0)),
      Enter: () => found[active] && onChoose(found[active].code),
      Escape: onClose,
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  return (
    <div class="country-list card" part="country-list">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}list`}
        aria-activedescendant={found[active] && `${id}${found[active].code}`}
        aria-label={texts.searchCountry}
        placeholder={texts.searchCountry}
        autoComplete="off"
        value={search}
        onInput={(event) => {
          setSearch(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && <p role="status">{texts.noCountry}</p>}
      <ul ref={list} id={`${id}list`} role="listbox" aria-label={texts.countries}>
        {found.map((country, index) => (
          <li
            key={country.code}
            id={`${id}${country.code}`}
            role="option"
            aria-selected={country.code === chosen}
            class={index === active ? 'active' : ''}
            // The search field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(country.code)}
          >
            <span class="flag" aria-hidden="true">
              {country.flag}
            </span>
            <span class="name">{country.name}</span>
            <bdi class="calling-code" dir="ltr">
              +{country.callingCode}
            </bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
