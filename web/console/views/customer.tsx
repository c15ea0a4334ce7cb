/** One customer: from a number or an id to the reason why a code failed. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type OperatorFunctions, type RevealedPhones } from '../../../client/index.ts';
import { readStored, store } from '../../data/storage.ts';
import { countriesIn, homeCountry, isCountry } from '../../intl/countries.ts';
import { loadNumberRules } from '../../intl/load-number-rules.ts';
import { goTo, useAddress } from '../address.ts';
import { HeldNumber, type Held } from './held-number.tsx';
import { hrefOf } from '../hrefs.ts';
import { LiftButton } from './blocks.tsx';
import { TransactionsPanel } from './customer-transactions.tsx';
import { stepsOf, verdictOf } from './explain.ts';
import { consoleLocale, formatTime } from '../format.ts';
import { Steps } from './message.tsx';
import { useOperator } from '../operator.ts';
import { Complaint, Done, Failure, isStale, Loading, Time, Updated } from '../parts.tsx';
import { refreshSeconds, sentenceOf, useChange, useRequest } from '../requests.ts';
import { t } from '../texts.ts';
import { isAbout, useLiveMessages } from './use-live-messages.ts';

const countryKey = 'ledgerline-console-country';
const largestUserId = 2_147_483_647;

function rememberedCountry(): string {
  const remembered = readStored(countryKey) ?? '';
  return isCountry(remembered) ? remembered : (homeCountry(navigator.languages) ?? 'GB');
}

export function CustomerView() {
  const { part: userId } = useAddress();
  return (
    <div class="view">
      <header class="view-title">
        <h1>{t.common.customer}</h1>
      </header>
      <Search userId={userId} />
      {/^\d+$/.test(userId) && <Customer key={userId} userId={Number(userId)} />}
    </div>
  );
}

function Search({ userId }: { userId: string }) {
  const { operations } = useOperator();
  const [typed, setTyped] = useState(userId);
  const [country, setCountry] = useState(rememberedCountry);
  const [found, setFound] = useState<number[]>([]);
  const [held, setHeld] = useState<Held>();
  const [complaint, setComplaint] = useState<string>();
  const [searchedFor, setSearchedFor] = useState<string>();
  const latestSearch = useRef(0);
  const countries = useMemo(() => countriesIn(consoleLocale), []);
  useLayoutEffect(() => setTyped((before) => userId || before), [userId]);

  async function search(event: Event): Promise<void> {
    event.preventDefault();
    setComplaint(undefined);
    setSearchedFor(undefined);
    setFound([]);
    setHeld(undefined);
    const ownSearch = (latestSearch.current += 1);
    // The last customer is removed first, so that the old answer is not mistaken for the new one.
    goTo(hrefOf('customer'));
    try {
      const answer = await findCustomers(operations, typed.trim(), country);
      if (latestSearch.current !== ownSearch) return;
      setComplaint(answer.complaint);
      setSearchedFor(answer.display);
      setHeld(answer.held);
      if (answer.userIds.length === 1) goTo(hrefOf('customer', answer.userIds[0]));
      else setFound(answer.userIds);
    } catch (error) {
      if (latestSearch.current === ownSearch) setComplaint(sentenceOf(error));
    }
  }

  return (
    <>
      <form class="find" onSubmit={search} role="search">
        <label>
          {t.customer.field}
          <input value={typed} autoComplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label class="kind">
          {t.customer.nationalCountry}
          <select
            value={country}
            onChange={(event) => {
              setCountry(event.currentTarget.value);
              store(countryKey, event.currentTarget.value);
            }}
          >
            {countries.map(({ code, name, callingCode }) => (
              <option key={code} value={code}>
                {name} (+{callingCode})
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary">
          {t.common.find}
        </button>
      </form>
      {searchedFor && <p class="soft">{t.customer.searchedFor(searchedFor)}</p>}
      {held && (
        <p class="numbers">
          <span>{t.customer.heldBy(String(held.userId))}</span>
          <HeldNumber key={`${held.userId} ${held.phoneNumber}`} held={held} onFreed={() => setHeld(undefined)} />
        </p>
      )}
      <Complaint text={complaint} />
      {found.length > 1 && (
        <p>
          {t.customer.several}{' '}
          {found.map((id) => (
            <a key={id} class="pick" href={hrefOf('customer', id)}>
              {id}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

interface Found {
  userIds: number[];
  /** The number that was searched for. */
  display?: string;
  /** Who has that number. */
  held?: Held | undefined;
  complaint?: string;
}

/**
 * Accepts a user id, an e-mail address, or a phone number in any spelling: with its calling code, or in national
 * format.
 */
async function findCustomers(operations: OperatorFunctions, text: string, country: string): Promise<Found> {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= largestUserId) return findByDigits(operations, text, country);
  if (/^[^\s@]+@[^\s@]+$/.test(text)) {
    const { userIds } = await operations.findUsers({ email: text });
    return { userIds, display: text, ...(userIds.length === 0 && { complaint: t.customer.nobodyEmail }) };
  }
  const found = await findByNumber(operations, text, country);
  return found ?? { userIds: [], complaint: t.customer.bad };
}

/** Plain digits may be a user id, or a phone number in national format. */
async function findByDigits(operations: OperatorFunctions, text: string, country: string): Promise<Found> {
  const byNumber = await findByNumber(operations, text, country);
  const id = Number(text);
  if (!byNumber || byNumber.userIds.length === 0) return { userIds: [id] };
  return { ...byNumber, userIds: [...new Set([...byNumber.userIds, ...((await isUser(operations, id)) ? [id] : [])])] };
}

async function isUser(operations: OperatorFunctions, id: number): Promise<boolean> {
  try {
    await operations.trail(id);
    return true;
  } catch (error) {
    if (error instanceof LedgerlineError && error.kind === 'not-found') return false;
    throw error;
  }
}

/** Undefined if the text is no phone number. */
async function findByNumber(operations: OperatorFunctions, text: string, country: string): Promise<Found | undefined> {
  const { parseNumber } = await loadNumberRules();
  const number = /^[\d\s()+./-]+$/.test(text) ? parseNumber(text, country) : undefined;
  if (!number) return undefined;
  const { phoneNumber, display } = number;
  const { userIds, holder } = await operations.findUsers(phoneNumber);
  const held = holder ? { ...holder, phoneNumber } : undefined;
  return { userIds, display, held, ...(userIds.length === 0 && { complaint: t.customer.nobody }) };
}

function Erased({ at }: { at: string }) {
  return (
    <section class="card panel" aria-label={t.customer.erased}>
      <p>{t.customer.erasedOn(formatTime(at))}</p>
    </section>
  );
}

function Customer({ userId }: { userId: number }) {
  const { operations } = useOperator();
  const trail = useRequest((options) => operations.trail(userId, options), [operations, userId], refreshSeconds);
  const decisions = useRequest(
    (options) => operations.guardDecisions({ userId, count: 50 }, options),
    [operations, userId],
    refreshSeconds,
  );
  const blocks = useRequest((options) => operations.guardBlocks(options), [operations, userId], refreshSeconds);
  const heading = useRef<HTMLHeadingElement>(null);
  const block = blocks.value?.find(({ id }) => id === `user:${userId}`);

  function refresh(): void {
    for (const request of [trail, decisions, blocks]) request.refresh();
  }
  useLiveMessages((events) => isAbout(events, userId) && refresh());

  if (!trail.value) return trail.error ? <Complaint text={trail.error} /> : <Loading />;
  if (trail.value.erasedAt !== null) return <Erased at={trail.value.erasedAt} />;
  const verdict = verdictOf(trail.value, block !== undefined);
  const steps = stepsOf(trail.value);
  return (
    <div class={isStale(trail, decisions, blocks) ? 'view stale' : 'view'}>
      <Failure requests={[trail, decisions, blocks]} />
      <section class={`card panel verdict ${verdict.tone}`} aria-labelledby="verdict">
        <header class="panel-title">
          <h2 id="verdict" ref={heading} tabIndex={-1}>
            {t.common.userNamed(String(userId))}
          </h2>
          <Updated requests={[trail, decisions, blocks]} />
        </header>
        <p class="sentence">{verdict.text}</p>
        <Phones userId={userId} masked={trail.value.messages[0]?.phoneNumber} heading={heading} />
        {block && (
          <div class="numbers">
            <span>{t.customer.blockedUntil(formatTime(block.until))}</span>
            <LiftButton
              block={block}
              text={t.guard.liftTheBlock}
              onLifted={() => {
                heading.current!.focus();
                refresh();
              }}
            />
          </div>
        )}
      </section>
      <section class="card panel" aria-labelledby="steps">
        <h2 id="steps">{t.customer.whatHappened}</h2>
        {steps.length === 0 && <p class="soft">{t.customer.nothing}</p>}
        <Steps steps={steps} />
        {trail.value.messages.length > 0 && (
          <p class="older">
            <a href={hrefOf('messages', '', { userId: String(userId) })}>{t.common.messages}</a>
          </p>
        )}
      </section>
      {trail.value.changes.length > 0 && (
        <section class="card panel" aria-labelledby="numbers">
          <h2 id="numbers">{t.customer.numbers}</h2>
          <ol class="trail">
            {trail.value.changes.map(({ changedAt, previousPhoneNumber, phoneNumber }) => (
              <li key={changedAt} class="plain">
                <Time instant={changedAt} />
                <p>{t.customer.changedFrom(previousPhoneNumber, phoneNumber)}</p>
              </li>
            ))}
          </ol>
        </section>
      )}
      <TransactionsPanel userId={userId} />
      {decisions.value && decisions.value.length > 0 && (
        <section class="card panel" aria-labelledby="refusals">
          <h2 id="refusals">{t.customer.guardDecisions}</h2>
          <ol class="trail">
            {decisions.value.map((decision) => (
              <li key={decision.id} class={decision.action === 'refused' ? 'bad' : 'plain'}>
                <Time instant={decision.at} />
                <p>
                  {(decision.action === 'refused' ? t.customer.refusedBy : t.customer.shadowBy)(
                    decision.operation,
                    decision.rule,
                  )}
                </p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

const phoneOr = (phone: string | null) => phone ?? t.customer.none;

interface PhonesProps {
  userId: number;
  masked: string | undefined;
  heading: { current: HTMLHeadingElement | null };
}

/** The number is masked until an operator reveals it, which the audit records. */
function Phones({ userId, masked, heading }: PhonesProps) {
  const { operations, mayWrite } = useOperator();
  const [phones, setPhones] = useState<RevealedPhones>();
  const { complaint, done, run } = useChange();

  async function reveal(): Promise<void> {
    await run(async () => {
      setPhones(await operations.revealPhone(userId));
      heading.current!.focus();
    }, t.customer.revealed);
  }

  return (
    <>
      <p class="numbers">
        {phones ? (
          <>
            <span>{t.customer.verifiedPhone(phoneOr(phones.verifiedPhone))}</span>
            <span>{t.customer.lastSentPhone(phoneOr(phones.lastSentPhone))}</span>
            {phones.verifiedPhone && (
              <HeldNumber
                held={{ ...phones, userId, phoneNumber: phones.verifiedPhone }}
                onFreed={() => {
                  setPhones(undefined);
                  heading.current!.focus();
                }}
              />
            )}
          </>
        ) : (
          <>
            {masked && <span>{masked}</span>}
            <button
              type="button"
              class="quiet small"
              disabled={!mayWrite}
              title={mayWrite ? undefined : t.common.readOnlyHint}
              onClick={reveal}
            >
              {t.customer.reveal}
            </button>
            <span class="soft">{t.customer.revealAbout}</span>
          </>
        )}
      </p>
      <Complaint text={complaint} />
      <Done text={done} />
    </>
  );
}
