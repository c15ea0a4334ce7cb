/** How much of its limits the busiest key of a rule has used. */
import type { GuardLimitUsage, GuardRuleUsage } from '../../../client/index.ts';
import { hrefOf } from '../hrefs.ts';
import { countryName, formatMoney, formatNumber, formatSpan } from '../format.ts';
import { Meter } from '../parts.tsx';
import { t } from '../texts.ts';

/** The percentage from which on the use counts as near the limit. */
const nearPercent = 80;
const shownLimits = 3;

export function RuleUsage({ usage }: { usage: GuardRuleUsage }) {
  return (
    <ul class="limit-usage">
      {usage.limits.slice(0, shownLimits).map((limit, index) => (
        <li key={index} class={limit.used === 0 ? 'idle-limit' : undefined}>
          <LimitUsage limit={limit} format={usage.counts === 'money' ? formatMoney : formatNumber} />
        </li>
      ))}
    </ul>
  );
}

function LimitUsage({ limit, format }: { limit: GuardLimitUsage; format(value: number): string }) {
  const { subject, userId, used, limit: maximum, seconds, blockSeconds } = limit;
  const percent = maximum ? Math.min(100, Math.round((used / maximum) * 100)) : 0;
  const span = seconds === null ? t.guard.inDay : t.guard.within(formatSpan(seconds));
  return (
    <>
      <span class="used-share">
        {maximum !== null && <Meter percent={percent} tone={percent >= nearPercent ? 'meter-near' : 'tone-b'} />}
        {maximum === null ? t.guard.usedOnly(format(used)) : t.guard.usedOf(format(used), format(maximum))}
      </span>
      <span class="small-print">
        {subject !== null && `${subject.startsWith('+') ? `${subject}…` : nameOf(subject)} `}
        {userId !== null && (
          <>
            <a href={hrefOf('customer', userId)}>{t.guard.userLower(String(userId))}</a>{' '}
          </>
        )}
        {maximum !== null && span}
        {blockSeconds !== null && `, ${t.guard.blocksFor(formatSpan(blockSeconds))}`}
      </span>
    </>
  );
}

const nameOf = (country: string) => countryName(/^[A-Z]{2}$/.test(country) ? country : null);
