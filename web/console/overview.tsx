/** How sending goes: by day, country and gateway. */
import { useState } from 'preact/hooks';
import type { OperatorFunctions, OverviewDay } from '../../client/index.ts';
import { refreshSeconds, useAsked } from './ask.ts';
import { Complaint, Loading, number, Table } from './parts.tsx';
import { Bars, Share } from './plots.tsx';

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

export function OverviewView({ desk }: { desk: OperatorFunctions }) {
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
      {!value && !asked.error && <Loading />}
      {value && (
        <>
          <dl class="tiles">
            <Tile
              name="Codes sent"
              value={number(sent)}
              about={
                span === 1
                  ? 'today'
                  : `${number(byDay.at(-1)![1].sent)} today, ${number(Math.round(sent / span))} a day`
              }
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
      <Table
        columns={[first, 'Sent', 'Delivered', 'Verified', 'Passed over']}
        numeric
        rows={groups
          .sort(([, a], [, b]) => b.sent - a.sent)
          .map(([name, sums]) => ({
            key: name,
            cells: [
              name,
              number(sums.sent),
              <Share part={sums.delivered} of={sums.delivered + sums.failed === 0 ? 0 : sums.accepted} tone="tone-b" />,
              <Share part={sums.verified} of={sums.accepted} tone="tone-c" />,
              number(sums.passedOver),
            ],
          }))}
      />
    </section>
  );
}
