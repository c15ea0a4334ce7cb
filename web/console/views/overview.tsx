/** The results of sending: by day, country and gateway. */
import type { OperatorOverview, OperatorPerformance, OverviewDay } from '../../../client/index.ts';
import { useResource } from '../../data/use-resource.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useAddress } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { countryName, formatDay, formatMoney, formatNumber, formatShare, formatShort, formatSpan } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { refreshSeconds, useOperator } from '../operator.ts';
import { Share } from '../parts.tsx';
import { sentenceOf } from '../problems.ts';
import { t } from '../texts.ts';
import { alertsOf } from './alerts.ts';
import { Channels } from './channels.tsx';

const counts = ['sent', 'accepted', 'delivered', 'receipts', 'verified', 'passedOver'] as const;
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

const noCounts: Sums = { sent: 0, accepted: 0, delivered: 0, receipts: 0, verified: 0, passedOver: 0 };

/** Every day of the span, in UTC as the service counts them. The clock of a sandbox may be ahead. */
function everyDay(span: number, known: [string, Sums][]): [string, Sums][] {
  const sums = new Map(known);
  const last = Math.max(serviceNow(), ...known.map(([day]) => Date.parse(day)));
  return Array.from({ length: span }, (_, index) => {
    const day = new Date(last - (span - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return [day, sums.get(day) ?? noCounts];
  });
}

const total = (groups: [string, Sums][], count: keyof Sums) => groups.reduce((sum, [, sums]) => sum + sums[count], 0);

const spans = [1, 7, 30];

/** The span is kept in the address. */
const spanOf = (part: string) => (spans.includes(Number(part)) ? Number(part) : 7);

/** The figures behind the alerts change slowly, and some of them are expensive to count. */
const alertSeconds = 60;

export function OverviewView() {
  const { operations } = useOperator();
  const span = spanOf(useAddress().part);
  // With the same number of days before, for comparison.
  const overview = useResource(
    [operations, span],
    async (options) => ({ span, figures: await operations.overview(span * 2, options) }),
    { everySeconds: refreshSeconds },
  );
  const performance = useResource(
    [operations, span],
    async (options) => ({ span, figures: await operations.performance(span, options) }),
    { everySeconds: alertSeconds },
  );
  return (
    <>
      <nav class="segment-group span-choice" aria-label={t.overview.span}>
        {spans.map((days) => (
          <a key={days} href={hrefOf('overview', days)} aria-current={days === span ? 'true' : undefined}>
            {days === 1 ? t.overview.today : t.overview.days(formatNumber(days))}
          </a>
        ))}
      </nav>
      <Content of={overview}>
        {(value) => (
          // Figures of different spans must not be compared.
          <Figures
            overview={value.figures}
            performance={performance.value?.span === value.span ? performance.value.figures : undefined}
            span={value.span}
          />
        )}
      </Content>
    </>
  );
}

interface FiguresProps {
  overview: OperatorOverview;
  performance: OperatorPerformance | undefined;
  span: number;
}

function Figures({ overview, performance, span }: FiguresProps) {
  const byDay = everyDay(
    span,
    sumBy(overview.days, ({ day }) => day),
  );
  const first = byDay[0]![0];
  const days = overview.days.filter(({ day }) => day >= first);
  const daysBefore = overview.days.filter(({ day }) => day < first);
  return (
    <>
      <Alerts overview={overview} days={days} daysBefore={daysBefore} />
      <Tiles byDay={byDay} daysBefore={daysBefore} performance={performance} />
      <div class="two-columns">
        <Panel title={t.overview.byDay}>
          {total(byDay, 'sent') > 0 ? (
            <BarChart
              title={t.overview.codesByDay}
              labelName={t.overview.day}
              format={formatNumber}
              formatShort={formatShort}
              labels={byDay.map(([day]) => formatDay(day))}
              series={[
                { name: t.overview.sent, tone: 'tone-a', values: byDay.map(([, sums]) => sums.sent) },
                { name: t.overview.delivered, tone: 'tone-b', values: byDay.map(([, sums]) => sums.delivered) },
                { name: t.overview.verified, tone: 'tone-c', values: byDay.map(([, sums]) => sums.verified) },
              ]}
            />
          ) : (
            <p class="soft">{t.overview.noneSent}</p>
          )}
        </Panel>
        <Gateways overview={overview} />
      </div>
      <div class="two-columns even-columns">
        <Split
          title={t.overview.byCountry}
          first={t.common.country}
          last={t.overview.cost}
          groups={sumBy(days, ({ country }) => country ?? '')}
          nameOf={(country) => countryName(country || null)}
          lastOf={(country) => costOf(performance, country || null)}
        />
        <Split
          title={t.overview.byGateway}
          first={t.common.gateway}
          last={t.overview.deliveryTime}
          groups={sumBy(days, ({ gateway }) => gateway)}
          nameOf={(gateway) => gateway}
          lastOf={(gateway) => deliveryOf(performance, gateway)}
        />
      </div>
      <Channels channels={performance?.channels ?? []} />
      <Terms />
    </>
  );
}

function costOf(performance: OperatorPerformance | undefined, country: string | null): string | null {
  const found = performance?.countries.find((each) => each.country === country);
  return found ? formatMoney(found.cost) : null;
}

function deliveryOf(performance: OperatorPerformance | undefined, gateway: string): string | null {
  const found = performance?.gateways.find((each) => each.gateway === gateway);
  return found && found.medianSeconds !== null ? formatSpan(found.medianSeconds) : null;
}

function Terms() {
  const terms = [
    [t.overview.delivered, t.overview.deliveredAbout],
    [t.overview.verified, t.overview.verifiedAbout],
    [t.overview.change, t.overview.changeAbout],
    [t.overview.failedOver, t.overview.failedOverAbout],
    [t.overview.notSent, t.overview.notSentAbout],
    [t.overview.cost, t.overview.costAbout],
    [t.overview.deliveryTime, t.overview.deliveryAbout],
  ];
  return (
    <dl class="term-list">
      {terms.map(([term, about]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
  );
}

interface AlertsProps {
  overview: OperatorOverview;
  days: OverviewDay[];
  daysBefore: OverviewDay[];
}

function Alerts(figures: AlertsProps) {
  const { operations } = useOperator();
  // What cannot be read is named in the list: the figures below are not affected.
  const [often, seldom] = [refreshSeconds, alertSeconds].map((everySeconds) => ({ everySeconds, isOwn: true }));
  const endpoints = useResource([operations], (options) => operations.webhookEndpoints(options), often);
  const blocks = useResource([operations], (options) => operations.guardBlocks(options), often);
  const usage = useResource([operations], (options) => operations.guardUsage(options), seldom);
  const rangeDecisions = useResource(
    [operations],
    (options) => operations.guardDecisions({ rule: 'prefix', count: 100 }, options),
    seldom,
  );
  const unread = [endpoints, blocks, usage, rangeDecisions].find(({ failure }) => failure !== undefined)?.failure;
  const alerts = alertsOf({
    ...figures,
    endpoints: endpoints.value ?? [],
    blocks: blocks.value ?? [],
    rangeDecisions: rangeDecisions.value ?? [],
    usage: usage.value ?? [],
    now: serviceNow(),
  });
  if (alerts.length === 0 && unread === undefined) return null;
  return (
    <Panel title={t.overview.alerts}>
      <ul class="alert-list">
        {unread !== undefined && (
          <li>
            <Icon name="alert" />
            {t.overview.unreadAlerts(sentenceOf(unread.error))}
          </li>
        )}
        {alerts.map(({ key, text, href }) => (
          <li key={key}>
            <Icon name="alert" />
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The change compared with the span before, in words; empty if there was nothing before. */
function changeOf(now: number, before: number): string {
  if (before === 0) return '';
  const percent = Math.round((now / before - 1) * 100);
  return percent === 0
    ? `, ${t.overview.asBefore}`
    : `, ${percent > 0 ? '+' : '−'}${formatNumber(Math.abs(percent))} %`;
}

interface TilesProps {
  byDay: [string, Sums][];
  daysBefore: OverviewDay[];
  performance: OperatorPerformance | undefined;
}

function Tiles({ byDay, daysBefore, performance }: TilesProps) {
  const sentBefore = daysBefore.reduce((sum, day) => sum + day.sent, 0);
  const [sent, accepted, delivered, verified] = (['sent', 'accepted', 'delivered', 'verified'] as const).map((count) =>
    total(byDay, count),
  ) as [number, number, number, number];
  const hasReceipts = total(byDay, 'receipts') > 0;
  const today = formatNumber(byDay.at(-1)![1].sent);
  const average = sent / byDay.length;
  const perDay = formatNumber(average < 10 ? Math.round(average * 10) / 10 : Math.round(average));
  return (
    <dl class="figure-tiles">
      <Tile
        name={t.overview.codes}
        value={formatNumber(sent)}
        about={`${byDay.length === 1 ? t.overview.aboutToday : t.overview.aboutDays(today, perDay)}${changeOf(sent, sentBefore)}`}
      />
      <Tile
        name={t.overview.delivered}
        value={formatShare(delivered, hasReceipts ? accepted : 0)}
        about={hasReceipts ? t.overview.byReceipt(formatNumber(delivered)) : t.overview.noReceipts}
      />
      <Tile
        name={t.overview.verified}
        value={formatShare(verified, accepted)}
        about={t.overview.usedCode(formatNumber(verified))}
      />
      <Tile name={t.overview.notSent} value={formatNumber(sent - accepted)} about={t.overview.notAccepted} />
      <CostTile performance={performance} verified={verified} />
      <DeliveryTile performance={performance} />
    </dl>
  );
}

function CostTile({ performance, verified }: { performance: OperatorPerformance | undefined; verified: number }) {
  const { current, before } = performance ?? {};
  const each = current && verified > 0 ? t.overview.costPerVerified(formatMoney(current.cost / verified)) : '';
  const change = current && before ? changeOf(current.cost, before.cost) : '';
  return (
    <Tile
      name={t.overview.costInYourCurrency}
      value={current ? formatMoney(current.cost) : '–'}
      about={`${each}${change}`.replace(/^, /, '')}
    />
  );
}

function DeliveryTile({ performance }: { performance: OperatorPerformance | undefined }) {
  const { medianSeconds = null, p95Seconds = null } = performance?.current ?? {};
  const before = performance?.before.medianSeconds ?? 0;
  return (
    <Tile
      name={t.overview.deliveryTime}
      value={medianSeconds === null ? '–' : formatSpan(medianSeconds)}
      about={
        medianSeconds === null || p95Seconds === null
          ? t.overview.noReceipts
          : `${t.overview.slowest(formatSpan(p95Seconds))}${changeOf(medianSeconds, before)}`
      }
    />
  );
}

const breakerMarks = { closed: 'good', open: 'bad', probing: 'warn' };

function Gateways({ overview: { gateways, configuredOrder, orders } }: { overview: OperatorOverview }) {
  return (
    <Panel title={t.overview.gatewaysNow}>
      <ul class="gateway-health">
        {gateways.map(({ gateway, breaker, reason, probeInSeconds }) => (
          <li key={gateway}>
            <span class="gateway-name">{gateway}</span>
            <span class={`state-mark is-${breakerMarks[breaker]}`}>{t.overview.breakers[breaker]}</span>
            {reason && (
              <span class="soft">
                {reason}
                {probeInSeconds !== undefined && `, ${t.overview.triedAgain(formatNumber(probeInSeconds))}`}
              </span>
            )}
          </li>
        ))}
      </ul>
      {configuredOrder.length > 1 && <p class="soft gateway-order">{t.overview.order(configuredOrder.join(', '))}</p>}
      {orders.map(({ country, order, reasons }) => (
        <p key={country} class="soft gateway-order">
          <strong>{country ?? t.overview.otherNumbers}</strong>: {order.join(', ')}
          {reasons.length > 0 && <> ({reasons.join('; ')})</>}
        </p>
      ))}
    </Panel>
  );
}

function Tile({ name, value, about }: { name: string; value: string; about: string }) {
  return (
    <div class="card figure-tile">
      <dt>{name}</dt>
      <dd class="tile-figure">{value}</dd>
      <dd class="soft">{about}</dd>
    </div>
  );
}

interface SplitProps {
  title: string;
  first: string;
  last: string;
  groups: [string, Sums][];
  nameOf(group: string): string;
  lastOf(group: string): string | null;
}

function Split({ title, first, last, groups, nameOf, lastOf }: SplitProps) {
  return (
    <Panel title={title}>
      {groups.length === 0 && <p class="soft">{t.overview.none}</p>}
      <DataTable
        columns={[first, t.overview.sent, t.overview.delivered, t.overview.verified, t.overview.failedOver, last]}
        isNumeric
        rows={groups
          .sort(([, a], [, b]) => b.sent - a.sent)
          .map(([group, sums]) => ({
            key: group,
            cells: [
              nameOf(group),
              formatNumber(sums.sent),
              <Share part={sums.delivered} of={sums.receipts === 0 ? 0 : sums.accepted} tone="tone-b" />,
              <Share part={sums.verified} of={sums.accepted} tone="tone-c" />,
              formatNumber(sums.passedOver),
              lastOf(group),
            ],
          }))}
      />
    </Panel>
  );
}
