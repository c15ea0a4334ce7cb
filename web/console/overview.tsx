/** How sending goes: by day, country and gateway. */
import { useEffect, useState } from 'preact/hooks';
import type { GatewayHealth, OperatorOverview, OperatorWebhookEndpoint, OverviewDay } from '../../client/index.ts';
import { Icon } from '../activity/icons.tsx';
import { alertsOf, type Alert } from './alerts.ts';
import { countryName, formatDay, formatNumber, formatShare } from './format.ts';
import { useOperator } from './operator.ts';
import { isStale, Loading, Table, ViewTitle } from './parts.tsx';
import { Bars, Share } from './plots.tsx';
import { refreshSeconds, useRequest } from './requests.ts';

const counts = ['sent', 'accepted', 'delivered', 'failed', 'verified', 'passedOver'] as const;
type Sums = Record<(typeof counts)[number], number>;

function sumBy(days: readonly OverviewDay[], key: (day: OverviewDay) => string): [name: string, sums: Sums][] {
  const groups = new Map<string, Sums>();
  for (const day of days) {
    const sums = groups.get(key(day)) ?? { ...noCounts };
    for (const count of counts) sums[count] += day[count];
    groups.set(key(day), sums);
  }
  return [...groups];
}

const noCounts: Sums = { sent: 0, accepted: 0, delivered: 0, failed: 0, verified: 0, passedOver: 0 };

/** Every day of the span, in UTC as the service counts them. The clock of a sandbox may be ahead. */
function everyDay(span: number, known: [string, Sums][]): [string, Sums][] {
  const sums = new Map(known);
  const last = Math.max(Date.now(), ...known.map(([day]) => Date.parse(day)));
  return Array.from({ length: span }, (_, index) => {
    const day = new Date(last - (span - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return [day, sums.get(day) ?? noCounts];
  });
}

const total = (groups: [string, Sums][], count: keyof Sums) => groups.reduce((sum, [, sums]) => sum + sums[count], 0);

const spans = [
  [1, 'Today'],
  [7, '7 days'],
  [30, '30 days'],
] as const;

/** The span is kept in the address, so that a reload keeps it. */
function spanInAddress(): number {
  const span = Number(location.hash.split('/')[1]);
  return spans.some(([days]) => days === span) ? span : 7;
}

export function OverviewView() {
  const { desk } = useOperator();
  const [span, setSpan] = useState(spanInAddress);
  useEffect(() => {
    const read = () => setSpan(spanInAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  // With as many days before, for comparison.
  const overview = useRequest(() => desk.overview(span * 2), [desk, span], refreshSeconds);
  const endpoints = useRequest(() => desk.webhookEndpoints(), [desk], refreshSeconds);
  const { value } = overview;
  return (
    <div class={isStale(overview) ? 'view stale' : 'view'}>
      <ViewTitle title="Overview" requests={[overview]}>
        <label class="span">
          <span class="unseen">Span</span>
          <select value={span} onChange={(event) => (location.hash = `overview/${event.currentTarget.value}`)}>
            {spans.map(([days, name]) => (
              <option key={days} value={days}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </ViewTitle>
      {!value && !overview.error && <Loading />}
      {value && <Figures overview={value} endpoints={endpoints.value ?? []} span={span} />}
    </div>
  );
}

interface FiguresProps {
  overview: OperatorOverview;
  endpoints: OperatorWebhookEndpoint[];
  span: number;
}

function Figures({ overview, endpoints, span }: FiguresProps) {
  const byDay = everyDay(
    span,
    sumBy(overview.days, ({ day }) => day),
  );
  const first = byDay[0]![0];
  const days = overview.days.filter(({ day }) => day >= first);
  const daysBefore = overview.days.filter(({ day }) => day < first);
  return (
    <>
      <Alerts alerts={alertsOf({ overview, days, daysBefore, endpoints, now: Date.now() })} />
      <Tiles byDay={byDay} daysBefore={daysBefore} />
      <div class="two">
        <section class="card panel" aria-labelledby="by-day">
          <h2 id="by-day">By day</h2>
          {total(byDay, 'sent') > 0 ? (
            <Bars
              title="Codes by day"
              labels={byDay.map(([day]) => formatDay(day))}
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
        <Gateways overview={overview} />
      </div>
      <div class="two even">
        <Split title="By country" first="Country" groups={sumBy(days, ({ country }) => countryName(country))} />
        <Split title="By gateway" first="Gateway" groups={sumBy(days, ({ gateway }) => gateway)} />
      </div>
      <dl class="terms">
        <div>
          <dt>Delivered</dt>
          <dd>Reported as delivered by the gateway, as a share of the texts that it accepted.</dd>
        </div>
        <div>
          <dt>Verified</dt>
          <dd>The code was used, as a share of the texts that a gateway accepted.</dd>
        </div>
        <div>
          <dt>+ and − percent</dt>
          <dd>The change against as many days before.</dd>
        </div>
        <div>
          <dt>Failed over</dt>
          <dd>The gateway did not answer or could not send, so the next gateway was asked.</dd>
        </div>
        <div>
          <dt>Not sent</dt>
          <dd>No gateway accepted the text. The caller got an error and can try again.</dd>
        </div>
      </dl>
    </>
  );
}

function Alerts({ alerts }: { alerts: Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <section class="card panel alerts" aria-labelledby="alerts">
      <h2 id="alerts">Look at this first</h2>
      <ul>
        {alerts.map(({ key, text, href }) => (
          <li key={key}>
            <Icon name="alert" />
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The change against the span before, in words; nothing if there was nothing before. */
function changeOf(now: number, before: number): string {
  if (before === 0) return '';
  const percent = Math.round((now / before - 1) * 100);
  return percent === 0 ? ', as before' : `, ${percent > 0 ? '+' : '−'}${formatNumber(Math.abs(percent))} %`;
}

interface TilesProps {
  byDay: [string, Sums][];
  daysBefore: OverviewDay[];
}

function Tiles({ byDay, daysBefore }: TilesProps) {
  const sentBefore = daysBefore.reduce((sum, day) => sum + day.sent, 0);
  const [sent, accepted, delivered, verified] = (['sent', 'accepted', 'delivered', 'verified'] as const).map((count) =>
    total(byDay, count),
  ) as [number, number, number, number];
  const hasReceipts = delivered + total(byDay, 'failed') > 0;
  const today = formatNumber(byDay.at(-1)![1].sent);
  const average = sent / byDay.length;
  const perDay = formatNumber(average < 10 ? Math.round(average * 10) / 10 : Math.round(average));
  return (
    <dl class="tiles">
      <Tile
        name="Codes sent"
        value={formatNumber(sent)}
        about={`${byDay.length === 1 ? 'today' : `${today} today, ${perDay} per day`}${changeOf(sent, sentBefore)}`}
      />
      <Tile
        name="Delivered"
        value={formatShare(delivered, hasReceipts ? accepted : 0)}
        about={hasReceipts ? `${formatNumber(delivered)} by receipt` : 'no receipts'}
      />
      <Tile
        name="Verified"
        value={formatShare(verified, accepted)}
        about={`${formatNumber(verified)} used their code`}
      />
      <Tile name="Not sent" value={formatNumber(sent - accepted)} about="no gateway accepted the text" />
    </dl>
  );
}

const breakerNames: Record<GatewayHealth['breaker'], string> = {
  closed: 'In use',
  open: 'Left out',
  probing: 'On trial',
};

function Gateways({ overview: { gateways, configuredOrder, orders } }: { overview: OperatorOverview }) {
  return (
    <section class="card panel" aria-labelledby="health">
      <h2 id="health">Gateways now</h2>
      <ul class="health">
        {gateways.map(({ gateway, breaker, reason, probeInSeconds }) => (
          <li key={gateway}>
            <span class="who">{gateway}</span>
            <span class={`mark ${breaker}`}>{breakerNames[breaker]}</span>
            {reason && (
              <span class="soft">
                {reason}
                {probeInSeconds !== undefined && `, tried again in ${formatNumber(probeInSeconds)} s`}
              </span>
            )}
          </li>
        ))}
      </ul>
      {configuredOrder.length > 1 && <p class="soft order">Asked in this order: {configuredOrder.join(', ')}</p>}
      {orders.map(({ country, order, reasons }) => (
        <p key={country} class="soft order">
          <strong>{country ?? 'Other numbers'}</strong>: {order.join(', ')}
          {reasons.length > 0 && ` (${reasons.join('; ')})`}
        </p>
      ))}
    </section>
  );
}

function Tile({ name, value, about }: { name: string; value: string; about: string }) {
  return (
    <div class="card tile">
      <dt>{name}</dt>
      <dd class="figure">{value}</dd>
      <dd class="soft">{about}</dd>
    </div>
  );
}

function Split({ title, first, groups }: { title: string; first: string; groups: [string, Sums][] }) {
  return (
    <section class="card panel" aria-label={title}>
      <h2>{title}</h2>
      <Table
        columns={[first, 'Sent', 'Delivered', 'Verified', 'Failed over']}
        isNumeric
        rows={groups
          .sort(([, a], [, b]) => b.sent - a.sent)
          .map(([name, sums]) => ({
            key: name,
            cells: [
              name,
              formatNumber(sums.sent),
              <Share part={sums.delivered} of={sums.delivered + sums.failed === 0 ? 0 : sums.accepted} tone="tone-b" />,
              <Share part={sums.verified} of={sums.accepted} tone="tone-c" />,
              formatNumber(sums.passedOver),
            ],
          }))}
      />
    </section>
  );
}
