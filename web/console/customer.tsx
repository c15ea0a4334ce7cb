/** One customer: from a number or an id to the reason why a code failed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isE164, type OperatorFunctions, type RevealedPhones } from '../../client/index.ts';
import { told, useAsked, useChange } from './ask.ts';
import { stepsOf, verdictOf } from './explain.ts';
import { at, Complaint, Loading, Said } from './parts.tsx';

const customerInAddress = () => location.hash.split('/')[1] ?? '';

export function CustomerView({ desk }: { desk: OperatorFunctions }) {
  const [wanted, setWanted] = useState(customerInAddress);
  const [typed, setTyped] = useState(customerInAddress);
  const [found, setFound] = useState<number[]>();
  const [complaint, setComplaint] = useState<string>();

  useEffect(() => {
    const read = () => {
      setWanted(customerInAddress());
      setTyped((now) => customerInAddress() || now);
    };
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);

  async function search(event: Event): Promise<void> {
    event.preventDefault();
    setComplaint(undefined);
    setFound(undefined);
    const text = typed.replace(/[\s().-]/g, '');
    if (/^[1-9]\d{0,9}$/.test(text)) return void (location.hash = `customer/${text}`);
    if (!isE164(text)) return setComplaint('Give a user id, or a number such as +447911123456.');
    try {
      const ids = await desk.findUsers(text);
      if (ids.length === 0) setComplaint('Nobody verified this number, and nobody’s last code went there.');
      if (ids.length === 1) location.hash = `customer/${ids[0]}`;
      setFound(ids.length > 1 ? ids : undefined);
    } catch (error) {
      setComplaint(told(error));
    }
  }

  return (
    <>
      <header class="view-title">
        <h1>Customer</h1>
      </header>
      <form class="find" onSubmit={search} role="search">
        <label>
          User id or phone number
          <input value={typed} autoComplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">
          Find
        </button>
      </form>
      <Complaint text={complaint} />
      {found && (
        <p>
          Several users:{' '}
          {found.map((id) => (
            <a key={id} class="pick" href={`#customer/${id}`}>
              {id}
            </a>
          ))}
        </p>
      )}
      {/^\d+$/.test(wanted) && <Customer key={wanted} desk={desk} userId={Number(wanted)} />}
    </>
  );
}

function Customer({ desk, userId }: { desk: OperatorFunctions; userId: number }) {
  const trail = useAsked(() => desk.trail(userId), [desk, userId]);
  const decisions = useAsked(() => desk.guardDecisions({ userId, count: 50 }), [desk, userId]);
  const blocks = useAsked(() => desk.guardBlocks(), [desk, userId]);
  const [phones, setPhones] = useState<RevealedPhones>();
  const { complaint, said, run } = useChange();
  const heading = useRef<HTMLHeadingElement>(null);
  const block = blocks.value?.find(({ id }) => id === `user:${userId}`);

  async function reveal(): Promise<void> {
    const asked = desk.revealPhone(userId);
    if (!(await run(asked, 'The number is shown.'))) return;
    setPhones(await asked);
    heading.current!.focus();
  }

  async function lift(): Promise<void> {
    if (await run(desk.liftBlock({ userId }), 'The block is lifted.')) heading.current!.focus();
    blocks.again();
  }

  if (trail.error) return <Complaint text={trail.error} />;
  if (!trail.value) return <Loading />;
  const verdict = verdictOf(trail.value);
  const steps = stepsOf(trail.value);
  const masked = trail.value.messages[0]?.phoneNumber;
  return (
    <>
      <section class={`card panel verdict ${verdict.tone}`} aria-labelledby="verdict">
        <h2 id="verdict" ref={heading} tabIndex={-1}>
          User {userId}
        </h2>
        <p class="sentence">{verdict.text}</p>
        <p class="numbers">
          {phones ? (
            <>
              <span>Verified: {phones.verifiedPhone ?? 'none'}</span>
              <span>Last code to: {phones.lastSentPhone ?? 'none'}</span>
            </>
          ) : (
            <>
              {masked && <span>{masked}</span>}
              <button type="button" class="quiet small" onClick={reveal}>
                Reveal number
              </button>
              <span class="soft">Who reveals it is recorded.</span>
            </>
          )}
        </p>
        {block && (
          <p class="numbers">
            <span>Blocked until {at(block.until)}</span>
            <button type="button" class="quiet small" onClick={lift}>
              Lift the block
            </button>
          </p>
        )}
        <Complaint text={complaint} />
        <Said text={said} />
      </section>
      <section class="card panel" aria-labelledby="steps">
        <h2 id="steps">What happened</h2>
        {steps.length === 0 && <p class="soft">Nothing has been recorded of this user.</p>}
        <ol class="trail">
          {steps.map((step, index) => (
            <li key={index} class={step.tone}>
              {at(step.at)}
              <p>{step.text}</p>
            </li>
          ))}
        </ol>
      </section>
      {decisions.value && decisions.value.length > 0 && (
        <section class="card panel" aria-labelledby="refusals">
          <h2 id="refusals">What the guard decided</h2>
          <ol class="trail">
            {decisions.value.map((decision) => (
              <li key={decision.id} class={decision.action === 'refused' ? 'bad' : 'plain'}>
                {at(decision.at)}
                <p>
                  {decision.action === 'refused' ? 'Refused' : 'Would have refused'} {decision.operation} by{' '}
                  {decision.rule}
                </p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}
