/** What the money of a month was spent on, by type, with the share of each. It is read when it is opened. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../ui/icons.tsx';
import { addDecimals, formatMoney, isZero } from '../../intl/money.ts';
import { nameOf } from '../../../src/words/words.ts';
import { requestOf, withinMonth, type Filter } from './filter.ts';
import { sentenceOf } from './states.tsx';
import { troubleOf } from '../../data/trouble.ts';
import type { WithAsOf } from './use-activity.ts';
import { useViewer } from './viewer.ts';

export interface SpendingSource {
  filter: Filter;
  /** The types of rows in memory, in addition to those that have a name. */
  types: string[];
  withAsOf: WithAsOf;
}

interface SpendingProps extends SpendingSource {
  month: string;
  currency: string;
  /** Everything that was spent in the month. */
  total: string;
}

interface Share {
  name: string;
  amount: string;
}

/** Each type is a request. More types than these are added up as others. */
const askedTypes = 12;
/** The list may scroll past many months. */
const restMilliseconds = 300;

export function Spending(props: SpendingProps) {
  const { texts, locale } = useViewer();
  const [isOpen, setOpen] = useState(false);
  const { shares, complaint } = useShares(props, isOpen);
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  const partOf = (amount: string) => Number(amount) / Number(props.total);
  return (
    <details class="spending" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="quiet small spending-title">
        <Icon name="below" />
        {texts.spending}
      </summary>
      {complaint && <p class="complaint">{complaint}</p>}
      <dl aria-busy={!shares && !complaint}>
        {shares?.map(({ name, amount }) => (
          <div key={name} style={{ '--part': partOf(amount) }}>
            <dt dir="auto">{name}</dt>
            <dd>
              <span class="amount">{formatMoney(locale, amount, props.currency)}</span>{' '}
              <bdi class="share">{percent.format(partOf(amount))}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function useShares(props: SpendingProps, isOpen: boolean): { shares?: Share[]; complaint?: string } {
  const { client, individualId, timeZone, texts } = useViewer();
  const { filter, month, currency, total, types, withAsOf } = props;
  const key = `${month} ${currency} ${total}`;
  const [found, setFound] = useState<{ key: string; shares?: Share[]; complaint?: string }>();

  useEffect(() => {
    if (!isOpen || (found?.key === key && found.shares)) return;
    const controller = new AbortController();
    const { signal } = controller;
    const request = { ...requestOf(individualId, withinMonth(filter, month), timeZone), currency };

    async function spentOn(transactionType: string): Promise<Share> {
      const { periods } = await withAsOf((asOf) =>
        client.summarizeTransactions(
          { ...request, transactionType, transactionCategory: 'Debit', by: 'month', timeZone, asOf },
          { signal },
        ),
      );
      const amount = periods.reduce((sum, { moneyOutText }) => addDecimals(sum, moneyOutText), '0');
      return { name: nameOf(texts.types, transactionType), amount };
    }

    async function load(): Promise<void> {
      try {
        const asked = isZero(total) ? [] : typesOf(filter, texts.types, types);
        const shares = await Promise.all(asked.map(spentOn));
        setFound({ key, shares: withOthers(shares, total, texts.otherTypes) });
      } catch (error) {
        if (!signal.aborted) setFound({ key, complaint: sentenceOf(troubleOf(error), texts) });
      }
    }

    const timer = setTimeout(() => void load(), restMilliseconds);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isOpen, key, filter]);

  return found?.key === key ? found : {};
}

/** The service ignores the case of a type. */
function typesOf(filter: Filter, names: Record<string, string>, found: string[]): string[] {
  const all = filter.type ? [filter.type] : [...Object.keys(names), ...found];
  const byFolded = new Map(all.map((type) => [type.toLowerCase(), type]));
  return [...byFolded.values()].slice(0, askedTypes);
}

/** The largest first; what remains of the total is of other types. */
function withOthers(shares: Share[], total: string, name: string): Share[] {
  const rest = shares.reduce((left, { amount }) => addDecimals(left, `-${amount}`), total);
  return [...shares, { name, amount: rest }]
    .filter(({ amount }) => !isZero(amount) && !amount.startsWith('-'))
    .toSorted((left, right) => Number(right.amount) - Number(left.amount));
}
