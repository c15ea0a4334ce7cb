/** The search for a customer. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countriesIn } from '../../intl/countries.ts';
import { Notice } from '../../ui/notice.tsx';
import { Options } from '../../ui/options.tsx';
import { goTo } from '../address.ts';
import { findCustomers, rememberCountry, rememberedCountry, type Found } from '../find-customers.ts';
import { consoleLocale } from '../format.ts';
import { hrefOf } from '../hrefs.ts';
import { useOperator } from '../operator.ts';
import { sentenceOf } from '../problems.ts';
import { t } from '../texts.ts';
import { HeldNumber } from './held-number.tsx';

export function CustomerSearch({ userId }: { userId: string }) {
  const { operations } = useOperator();
  const [typed, setTyped] = useState(userId);
  const [country, setCountry] = useState(rememberedCountry);
  const [found, setFound] = useState<Found>();
  const latestSearch = useRef(0);
  const countries = useMemo(
    () => countriesIn(consoleLocale).map(({ code, name, callingCode }) => [code, `${name} (+${callingCode})`] as const),
    [],
  );
  useLayoutEffect(() => setTyped((before) => userId || before), [userId]);

  async function search(event: Event): Promise<void> {
    event.preventDefault();
    setFound(undefined);
    const ownSearch = (latestSearch.current += 1);
    // The last customer is removed first, so that the old answer is not mistaken for the new one.
    goTo(hrefOf('customer'));
    const answer = await findCustomers(operations, typed.trim(), country).catch((error: unknown) => ({
      userIds: [],
      complaint: sentenceOf(error),
    }));
    if (latestSearch.current !== ownSearch) return;
    setFound(answer);
    if (answer.userIds.length === 1) goTo(hrefOf('customer', answer.userIds[0]));
  }

  return (
    <>
      <form class="find-form" onSubmit={search} role="search">
        <label>
          {t.customer.field}
          <input value={typed} autoComplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label class="kind-field">
          {t.customer.nationalCountry}
          <select
            value={country}
            onChange={(event) => {
              setCountry(event.currentTarget.value);
              rememberCountry(event.currentTarget.value);
            }}
          >
            <Options of={countries} />
          </select>
        </label>
        <button type="submit" class="primary">
          {t.common.find}
        </button>
      </form>
      {found && <Result found={found} onFreed={() => setFound({ ...found, held: undefined })} />}
    </>
  );
}

function Result({ found: { display, held, complaint, userIds }, onFreed }: { found: Found; onFreed(): void }) {
  return (
    <>
      {display && <p class="soft">{t.customer.searchedFor(display)}</p>}
      {held && (
        <p class="phone-line">
          <span>{t.customer.heldBy(String(held.userId))}</span>
          <HeldNumber key={`${held.userId} ${held.phoneNumber}`} held={held} onFreed={onFreed} />
        </p>
      )}
      {complaint !== undefined && <Notice text={complaint} />}
      {userIds.length > 1 && (
        <p>
          {t.customer.several}{' '}
          {userIds.map((id) => (
            <a key={id} class="user-link" href={hrefOf('customer', id)}>
              {id}
            </a>
          ))}
        </p>
      )}
    </>
  );
}
