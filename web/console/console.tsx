/** The operator's console: how it goes, what is refused, and why one customer's code failed. */
import { render, type ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  clientCredentials,
  createClient,
  isE164,
  type GuardDecision,
  type GuardMode,
  type GuardRule,
  type OperatorFunctions,
  type OverviewDay,
  type RevealedPhones,
  type TokenSource,
} from '../../client/index.ts';
import { Header, isSandbox } from '../pages/header.tsx';
import { SignIn } from '../pages/sign-in.tsx';
import { told, useAsked } from './ask.ts';
import { stepsOf, verdictOf } from './explain.ts';
import { Bars, Share } from './plots.tsx';

const refreshSeconds = 15;

const views = { overview: 'Overview', guard: 'Guard', customer: 'Customer', audit: 'Audit' };
type View = keyof typeof views;

function viewInAddress(): View {
  const name = location.hash.slice(1).split('/')[0]!;
  return name in views ? (name as View) : 'overview';
}

function useView(): View {
  const [view, setView] = useState(viewInAddress);
  useEffect(() => {
    const read = () => setView(viewInAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return view;
}

function ConsolePage() {
  const [token, setToken] = useState<TokenSource | undefined>(() =>
    isSandbox
      ? clientCredentials({
          baseUrl: '',
          clientId: 'sandbox',
          clientSecret: 'sandbox',
          scope: 'operator:read operator:write',
        })
      : undefined,
  );
  return (
    <>
      <Header here="console" />
      {token ? (
        <Console token={token} />
      ) : (
        <SignIn
          about="Paste an access token with operator:read; changes need operator:write. What you do is recorded under its name."
          onToken={(text) => setToken(() => () => text)}
        />
      )}
    </>
  );
}

function Console({ token }: { token: TokenSource }) {
  const desk = useMemo(() => createClient({ token, retries: 1 }).operator, [token]);
  const view = useView();
  return (
    <main class="console">
      <nav aria-label="Views">
        {Object.entries(views).map(([name, title]) => (
          <a key={name} href={`#${name}`} aria-current={name === view ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {view === 'overview' && <OverviewView desk={desk} />}
      {view === 'guard' && <GuardView desk={desk} />}
      {view === 'customer' && <CustomerView desk={desk} />}
      {view === 'audit' && <AuditView desk={desk} />}
    </main>
  );
}

function Complaint({ text }: { text: string | undefined }) {
  return text ? (
    <p class="complaint" role="alert">
      {text}
    </p>
  ) : null;
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const at = (instant: string) => <time dateTime={instant}>{time.format(new Date(instant))}</time>;
const number = (value: number) => value.toLocaleString();

const counts = ['sent', 'accepted', 'delivered', 'failed', 'verified', 'passedOver'] as const;
type Sums = Record<(typeof counts)[number], number>;

function sumBy(days: readonly OverviewDay[], key: (day: OverviewDay) => string): [name: string, sums: Sums][] {
  const groups = new Map<string, Sums>();
  for (const day of days) {
    const sums = groups.get(key(day)) ?? { ...nothing };
    for (const count of counts) sums[count] += day[count];
    groups.set(key(day), sums);
  }
  return [...groups];
}

const nothing: Sums = { sent: 0, accepted: 0, delivered: 0, failed: 0, verified: 0, passedOver: 0 };

/** Also those on which nothing was sent. Days are UTC, as the service counts them; a sandbox's clock may be ahead. */
function everyDay(span: number, known: [string, Sums][]): [string, Sums][] {
  const sums = new Map(known);
  const last = Math.max(Date.now(), ...known.map(([day]) => Date.parse(day)));
  return Array.from({ length: span }, (_, index) => {
    const day = new Date(last - (span - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return [day, sums.get(day) ?? nothing];
  });
}

const total = (groups: [string, Sums][], count: keyof Sums) => groups.reduce((sum, [, sums]) => sum + sums[count], 0);

function OverviewView({ desk }: { desk: OperatorFunctions }) {
  const [span, setSpan] = useState(7);
  const asked = useAsked(() => desk.overview(span), [desk, span], refreshSeconds);
  const { value } = asked;
  const days = value?.days ?? [];
  const byDay = everyDay(
    span,
    sumBy(days, ({ day }) => day),
  );
  const label = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const [sent, accepted, delivered, verified] = (['sent', 'accepted', 'delivered', 'verified'] as const).map((count) =>
    total(byDay, count),
  ) as [number, number, number, number];
  const receipts = delivered + total(byDay, 'failed');
  return (
    <>
      <header class="view-title">
        <h1>Overview</h1>
        <label class="span">
          <span class="unseen">Span</span>
          <select value={span} onChange={(event) => setSpan(Number(event.currentTarget.value))}>
            <option value="1">Today</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
          </select>
        </label>
      </header>
      <Complaint text={asked.error} />
      {value && (
        <>
          <dl class="tiles">
            <Tile
              name="Codes sent"
              value={number(sent)}
              about={span === 1 ? 'today' : `${number(Math.round(sent / span))} a day`}
            />
            <Tile
              name="Delivered"
              value={percent(delivered, receipts === 0 ? 0 : accepted)}
              about={receipts === 0 ? 'no receipts' : `${number(delivered)} by receipt`}
            />
            <Tile name="Verified" value={percent(verified, accepted)} about={`${number(verified)} used their code`} />
            <Tile name="Not taken" value={number(sent - accepted)} about="by any gateway" />
          </dl>
          <div class="two">
            <section class="card panel" aria-labelledby="by-day">
              <h2 id="by-day">By day</h2>
              {sent > 0 ? (
                <Bars
                  title="Codes by day"
                  labels={byDay.map(([day]) => label.format(new Date(day)))}
                  series={[
                    { name: 'Sent', tone: 'tone-a', values: byDay.map(([, sums]) => sums.sent) },
                    { name: 'Delivered', tone: 'tone-b', values: byDay.map(([, sums]) => sums.delivered) },
                    { name: 'Verified', tone: 'tone-c', values: byDay.map(([, sums]) => sums.verified) },
                  ]}
                />
              ) : (
                <p class="soft">No code was sent in this time.</p>
              )}
            </section>
            <section class="card panel" aria-labelledby="health">
              <h2 id="health">Gateways now</h2>
              <ul class="health">
                {value.gateways.map(({ gateway, breaker, reason, probeInSeconds }) => (
                  <li key={gateway}>
                    <span class="who">{gateway}</span>
                    <span class={`mark ${breaker}`}>
                      {{ closed: 'In use', open: 'Left out', probing: 'On trial' }[breaker]}
                    </span>
                    {reason && (
                      <span class="soft">
                        {reason}
                        {probeInSeconds !== undefined && `, tried again in ${probeInSeconds} s`}
                      </span>
                    )}
                  </li>
                ))}
              </ul>
              {value.configuredOrder.length > 1 && (
                <p class="soft order">Asked in this order: {value.configuredOrder.join(', ')}</p>
              )}
              {value.orders.map(({ country, order, reasons }) => (
                <p key={country} class="soft order">
                  <strong>{country ?? 'Other numbers'}</strong>: {order.join(', ')}
                  {reasons.length > 0 && ` (${reasons.join('; ')})`}
                </p>
              ))}
            </section>
          </div>
          <div class="two even">
            <Split title="By country" first="Country" groups={sumBy(days, ({ country }) => countryName(country))} />
            <Split title="By gateway" first="Gateway" groups={sumBy(days, ({ gateway }) => gateway)} />
          </div>
        </>
      )}
    </>
  );
}

const regions = new Intl.DisplayNames(undefined, { type: 'region' });
const countryName = (code: string | null) => (code === null ? 'Unknown' : (regions.of(code) ?? code));

function percent(part: number, of: number): string {
  return of === 0 ? '–' : `${Math.round((part / of) * 100)}%`;
}

function Tile({ name, value, about }: { name: string; value: string; about?: string }) {
  return (
    <div class="card tile">
      <dt>{name}</dt>
      <dd class="figure">{value}</dd>
      {about && <dd class="soft">{about}</dd>}
    </div>
  );
}

function Split({ title, first, groups }: { title: string; first: string; groups: [string, Sums][] }) {
  return (
    <section class="card panel" aria-label={title}>
      <h2>{title}</h2>
      <Table columns={[first, 'Sent', 'Delivered', 'Verified', 'Passed over']} numeric>
        {groups
          .sort(([, a], [, b]) => b.sent - a.sent)
          .map(([name, sums]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{number(sums.sent)}</td>
              <td>
                <Share
                  part={sums.delivered}
                  of={sums.delivered + sums.failed === 0 ? 0 : sums.accepted}
                  tone="tone-b"
                />
              </td>
              <td>
                <Share part={sums.verified} of={sums.accepted} tone="tone-c" />
              </td>
              <td>{number(sums.passedOver)}</td>
            </tr>
          ))}
      </Table>
    </section>
  );
}

interface TableProps {
  columns: string[];
  numeric?: boolean;
  children: ComponentChildren;
}

/** Wider than a phone, it scrolls in its own box. */
function Table({ columns, numeric, children }: TableProps) {
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label={`Table: ${columns.join(', ')}`}>
      <table class={numeric ? 'numeric' : ''}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function GuardView({ desk }: { desk: OperatorFunctions }) {
  const rules = useAsked(() => desk.guardRules(), [desk], refreshSeconds);
  const blocks = useAsked(() => desk.guardBlocks(), [desk], refreshSeconds);
  const [action, setAction] = useState<GuardDecision['action']>();
  const decisions = useAsked(() => desk.guardDecisions({ action }), [desk, action], refreshSeconds);
  const [complaint, setComplaint] = useState<string>();

  async function change(work: Promise<unknown>, then: () => void): Promise<void> {
    try {
      await work;
      setComplaint(undefined);
    } catch (error) {
      setComplaint(told(error));
    }
    then();
  }

  return (
    <>
      <header class="view-title">
        <h1>Guard</h1>
      </header>
      <Complaint text={complaint ?? rules.error ?? blocks.error ?? decisions.error} />
      <section class="card panel" aria-labelledby="blocks">
        <h2 id="blocks">Blocked now</h2>
        {blocks.value?.length === 0 && <p class="soft">Nobody is blocked.</p>}
        {blocks.value && blocks.value.length > 0 && (
          <Table columns={['Who', 'Rule', 'Until', 'Action']}>
            {blocks.value.map(({ id, subject, rule, userIds, until }) => (
              <tr key={id}>
                <th scope="row">
                  {id.startsWith('user:') ? <a href={`#customer/${subject}`}>User {subject}</a> : subject}
                  {userIds && <span class="soft"> (users {userIds.join(', ')})</span>}
                </th>
                <td>{rule}</td>
                <td>{at(until)}</td>
                <td>
                  <button
                    type="button"
                    class="quiet small"
                    aria-label={`Lift the block of ${subject}`}
                    onClick={() => change(desk.liftBlock({ block: id }), blocks.again)}
                  >
                    Lift
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </section>
      <section class="card panel" aria-labelledby="rules">
        <h2 id="rules">Rules</h2>
        <Table columns={['Rule', 'Refused, 24 h', 'Would have, 24 h', 'Mode']}>
          {rules.value?.map((rule) => (
            <RuleRow
              key={rule.rule}
              rule={rule}
              onMode={(mode) => change(desk.setGuardMode(rule.rule, mode), rules.again)}
            />
          ))}
        </Table>
      </section>
      <section class="card panel" aria-labelledby="decisions">
        <header class="panel-title">
          <h2 id="decisions">Decisions</h2>
          <label class="span">
            <span class="unseen">Which decisions</span>
            <select
              value={action ?? ''}
              onChange={(event) =>
                setAction((event.currentTarget.value || undefined) as GuardDecision['action'] | undefined)
              }
            >
              <option value="">All</option>
              <option value="refused">Refused</option>
              <option value="shadow">Would have refused</option>
            </select>
          </label>
        </header>
        {decisions.value?.length === 0 && <p class="soft">Nothing was refused.</p>}
        {decisions.value && decisions.value.length > 0 && (
          <Table columns={['When', 'Rule', 'Decision', 'User', 'Number', 'From']}>
            {decisions.value.map((decision) => (
              <tr key={decision.id}>
                <td>{at(decision.at)}</td>
                <td>{decision.rule}</td>
                <td>
                  <span class={`mark ${decision.action}`}>
                    {decision.action === 'refused' ? 'Refused' : 'Would have refused'}
                  </span>
                </td>
                <td>
                  <a href={`#customer/${decision.userId}`}>{decision.userId}</a>
                </td>
                <td>{decision.phone ?? '–'}</td>
                <td>{decision.source ?? '–'}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
    </>
  );
}

function RuleRow({ rule, onMode }: { rule: GuardRule; onMode(mode: GuardMode | 'configured'): void }) {
  const { mode, configuredMode, changedBy } = rule;
  return (
    <tr>
      <th scope="row">
        {rule.rule}
        <span class="about">{rule.about}</span>
      </th>
      <td>{number(rule.refused)}</td>
      <td>{number(rule.shadow)}</td>
      <td>
        <select
          aria-label={`Mode of ${rule.rule}`}
          value={mode}
          onChange={(event) => {
            const chosen = event.currentTarget.value as GuardMode;
            onMode(chosen === configuredMode ? 'configured' : chosen);
          }}
        >
          <option value="off">Off</option>
          <option value="shadow">Shadow</option>
          <option value="enforce">Enforce</option>
        </select>
        {changedBy && mode !== configuredMode && <span class="about">by {changedBy}</span>}
      </td>
    </tr>
  );
}

const customerInAddress = () => location.hash.split('/')[1] ?? '';

function CustomerView({ desk }: { desk: OperatorFunctions }) {
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
  const [phones, setPhones] = useState<RevealedPhones>();
  const [complaint, setComplaint] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);

  async function reveal(): Promise<void> {
    try {
      setPhones(await desk.revealPhone(userId));
    } catch (error) {
      setComplaint(told(error));
    }
  }

  if (trail.error) return <Complaint text={trail.error} />;
  if (!trail.value) return <p role="status">Loading</p>;
  const verdict = verdictOf(trail.value);
  const steps = stepsOf(trail.value);
  const masked = trail.value.messages[0]?.phoneNumber;
  return (
    <>
      <section class={`card panel verdict ${verdict.tone}`} aria-labelledby="verdict">
        <h2 id="verdict" ref={heading}>
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
        <Complaint text={complaint} />
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

function AuditView({ desk }: { desk: OperatorFunctions }) {
  const actions = useAsked(() => desk.actions({ count: 50 }), [desk], refreshSeconds);
  return (
    <>
      <header class="view-title">
        <h1>Audit</h1>
      </header>
      <Complaint text={actions.error} />
      <section class="card panel" aria-label="What operators did">
        {actions.value?.length === 0 && <p class="soft">No operator has changed anything yet.</p>}
        {actions.value && actions.value.length > 0 && (
          <Table columns={['When', 'Who', 'Did', 'To', 'Detail']}>
            {actions.value.map((action) => (
              <tr key={action.id}>
                <td>{at(action.at)}</td>
                <th scope="row">
                  {action.subject}
                  {action.client !== action.subject && <span class="about">{action.client}</span>}
                </th>
                <td>{action.action}</td>
                <td>{action.target}</td>
                <td>{action.detail ?? '–'}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
    </>
  );
}

render(<ConsolePage />, document.getElementById('page')!);
