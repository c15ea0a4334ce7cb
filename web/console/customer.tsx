/** One customer: from a number or an id to the reason why a code failed. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OperatorFunctions, RevealedPhones } from '../../client/index.ts';
import { countriesIn, homeCountry, isCountry } from '../phone/countries.ts';
import { loadNumberRules } from '../phone/load-number-rules.ts';
import { LiftButton } from './blocks.tsx';
import { stepsOf, verdictOf } from './explain.ts';
import { readOnlyHint, useOperator } from './operator.ts';
import { Complaint, Done, Failure, isStale, Loading, Time, Updated } from './parts.tsx';
import { useLiveMessages } from './use-live-messages.ts';
import { refreshSeconds, sentenceOf, useChange, useRequest } from './requests.ts';

const customerInAddress = () => location.hash.split('/')[1] ?? '';
const countryKey = 'ledgerline-console-country';
const largestUserId = 2_147_483_647;

function rememberedCountry(): string {
  const remembered = localStorage.getItem(countryKey) ?? '';
  return isCountry(remembered) ? remembered : (homeCountry(navigator.languages) ?? 'GB');
}

export function CustomerView() {
  const [userId, setUserId] = useState(customerInAddress);
  useEffect(() => {
    const read = () => setUserId(customerInAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return (
    <div class="view">
      <header class="view-title">
        <h1>Customer</h1>
      </header>
      <Search userId={userId} />
      {/^\d+$/.test(userId) && <Customer key={userId} userId={Number(userId)} />}
    </div>
  );
}

function Search({ userId }: { userId: string }) {
  const { desk } = useOperator();
  const [typed, setTyped] = useState(userId);
  const [country, setCountry] = useState(rememberedCountry);
  const [found, setFound] = useState<number[]>([]);
  const [complaint, setComplaint] = useState<string>();
  const [searchedFor, setSearchedFor] = useState<string>();
  const latestSearch = useRef(0);
  const countries = useMemo(() => countriesIn('en'), []);
  useEffect(() => setTyped((before) => userId || before), [userId]);

  async function search(event: Event): Promise<void> {
    event.preventDefault();
    setComplaint(undefined);
    setSearchedFor(undefined);
    setFound([]);
    const ownSearch = (latestSearch.current += 1);
    // The last customer goes first: nobody must take the old answer for the new one.
    location.hash = 'customer';
    try {
      const answer = await findCustomers(desk, typed.trim(), country);
      if (latestSearch.current !== ownSearch) return;
      setComplaint(answer.complaint);
      setSearchedFor(answer.display);
      if (answer.userIds.length === 1) location.hash = `customer/${answer.userIds[0]}`;
      else setFound(answer.userIds);
    } catch (error) {
      if (latestSearch.current === ownSearch) setComplaint(sentenceOf(error));
    }
  }

  return (
    <>
      <form class="find" onSubmit={search} role="search">
        <label>
          User id or phone number
          <input value={typed} autoComplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label class="kind">
          Country of national numbers
          <select
            value={country}
            onChange={(event) => {
              setCountry(event.currentTarget.value);
              localStorage.setItem(countryKey, event.currentTarget.value);
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
          Find
        </button>
      </form>
      {searchedFor && <p class="soft">Searched for {searchedFor}.</p>}
      <Complaint text={complaint} />
      {found.length > 1 && (
        <p>
          Several users:{' '}
          {found.map((id) => (
            <a key={id} class="pick" href={`#customer/${id}`}>
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
  complaint?: string;
}

/** Takes a user id, or a number in any spelling: with its calling code, or as people of the country write it. */
async function findCustomers(desk: OperatorFunctions, text: string, country: string): Promise<Found> {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= largestUserId) return { userIds: [Number(text)] };
  const { parseNumber } = await loadNumberRules();
  const number = /^[\d\s()+./-]+$/.test(text) ? parseNumber(text, country) : undefined;
  if (!number) return { userIds: [], complaint: 'Give a user id, or a phone number such as +44 7400 123456.' };
  const userIds = await desk.findUsers(number.phoneNumber);
  const none = 'Nobody has verified this number, and nobody’s last code was sent to it.';
  return { userIds, display: number.display, ...(userIds.length === 0 && { complaint: none }) };
}

function Erased({ at }: { at: string }) {
  return (
    <section class="card panel" aria-label="Erased customer">
      <p>
        This customer was erased on <Time instant={at} />. Nothing else can be shown.
      </p>
    </section>
  );
}

function Customer({ userId }: { userId: number }) {
  const { desk } = useOperator();
  const trail = useRequest(() => desk.trail(userId), [desk, userId], refreshSeconds);
  const decisions = useRequest(() => desk.guardDecisions({ userId, count: 50 }), [desk, userId], refreshSeconds);
  const blocks = useRequest(() => desk.guardBlocks(), [desk, userId], refreshSeconds);
  const heading = useRef<HTMLHeadingElement>(null);
  const block = blocks.value?.find(({ id }) => id === `user:${userId}`);

  function refresh(): void {
    for (const request of [trail, decisions, blocks]) request.refresh();
  }
  useLiveMessages(({ data }) => 'userId' in data && data.userId === userId && refresh());

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
            User {userId}
          </h2>
          <Updated requests={[trail, decisions, blocks]} />
        </header>
        <p class="sentence">{verdict.text}</p>
        <Phones userId={userId} masked={trail.value.messages[0]?.phoneNumber} heading={heading} />
        {block && (
          <div class="numbers">
            <span>
              Blocked until <Time instant={block.until} />
            </span>
            <LiftButton
              block={block}
              text="Lift the block"
              onLifted={() => {
                heading.current!.focus();
                refresh();
              }}
            />
          </div>
        )}
      </section>
      <section class="card panel" aria-labelledby="steps">
        <h2 id="steps">What happened</h2>
        {steps.length === 0 && <p class="soft">Nothing has been recorded about this user.</p>}
        <ol class="trail">
          {steps.map((step, index) => (
            <li key={index} class={step.tone}>
              <Time instant={step.at} />
              <p>{step.text}</p>
            </li>
          ))}
        </ol>
      </section>
      {decisions.value && decisions.value.length > 0 && (
        <section class="card panel" aria-labelledby="refusals">
          <h2 id="refusals">Decisions of the guard</h2>
          <ol class="trail">
            {decisions.value.map((decision) => (
              <li key={decision.id} class={decision.action === 'refused' ? 'bad' : 'plain'}>
                <Time instant={decision.at} />
                <p>
                  {decision.action === 'refused' ? 'Refused' : 'Would have refused'} {decision.operation} by{' '}
                  {decision.rule}
                </p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

interface PhonesProps {
  userId: number;
  masked: string | undefined;
  heading: { current: HTMLHeadingElement | null };
}

/** The number is masked until somebody reveals it, which the audit records. */
function Phones({ userId, masked, heading }: PhonesProps) {
  const { desk, mayWrite } = useOperator();
  const [phones, setPhones] = useState<RevealedPhones>();
  const { complaint, done, run } = useChange();

  async function reveal(): Promise<void> {
    const requested = desk.revealPhone(userId);
    if (!(await run(requested, 'The number is shown.'))) return;
    setPhones(await requested);
    heading.current!.focus();
  }

  return (
    <>
      <p class="numbers">
        {phones ? (
          <>
            <span>Verified: {phones.verifiedPhone ?? 'none'}</span>
            <span>Last code to: {phones.lastSentPhone ?? 'none'}</span>
          </>
        ) : (
          <>
            {masked && <span>{masked}</span>}
            <button
              type="button"
              class="quiet small"
              disabled={!mayWrite}
              title={mayWrite ? undefined : readOnlyHint}
              onClick={reveal}
            >
              Reveal number
            </button>
            <span class="soft">The audit records who reveals it.</span>
          </>
        )}
      </p>
      <Complaint text={complaint} />
      <Done text={done} />
    </>
  );
}
