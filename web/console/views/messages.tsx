/** The live log of texts, with a filter, and the history of each text. */
import { useMemo } from 'preact/hooks';
import type { LoggedMessage } from '../../../client/index.ts';
import { usePages } from '../../data/use-pages.ts';
import { useResource } from '../../data/use-resource.ts';
import { countriesIn } from '../../intl/countries.ts';
import type { FilterField } from '../../ui/filter-bar.tsx';
import type { Option } from '../../ui/options.tsx';
import { countryName, consoleLocale, formatSpan } from '../format.ts';
import { hrefOf } from '../hrefs.ts';
import { LogView, useLogFilter } from '../log-view.tsx';
import { channelNames, stateNames } from '../message-names.ts';
import { confirmationText, StateMark } from '../message-state.tsx';
import { useOperator } from '../operator.ts';
import { pageSizeOf, Time } from '../parts.tsx';
import { MessageDetails } from './message.tsx';
import { useLiveMessages } from './use-live-messages.ts';

const names = ['userId', 'country', 'gateway', 'state', 'verified', 'rule', 'reason'];

export function MessagesView() {
  const { operations } = useOperator();
  const log = useLogFilter(names);
  const count = pageSizeOf(50, 20);
  const messages = usePages([operations, log.key], async (after: string | undefined, options) => {
    const page = await operations.messages({ ...log.query(), after, count }, options);
    return { rows: page.messages, next: page.next ?? undefined };
  });
  useLiveMessages(messages.refreshSoon);
  // A filter searches a part of the log at a time.
  const isSearching = messages.value?.length === 0 && messages.showOlder !== undefined;
  return (
    <LogView
      view="messages"
      title="Messages"
      fields={useFields()}
      log={log}
      pages={messages}
      none={isSearching ? 'No such message in the part that was searched.' : 'There are no such messages.'}
      olderText={isSearching ? 'Search further back' : 'Show older'}
      columns={['When', 'User', 'Number', 'Gateway', 'State', 'Delivered in']}
      rowOf={(message) => ({ id: message.id, at: message.requestedAt, cells: cellsOf(message) })}
      detailTitle={(id) => `Message ${id}`}
      detail={(id, at) => <MessageDetails id={id} at={at} />}
    />
  );
}

function useFields(): FilterField[] {
  const { operations } = useOperator();
  const overview = useResource([operations], (options) => operations.overview(1, options));
  const rules = useResource([operations], (options) => operations.guardRules(options));
  const countries = useMemo(() => countriesIn(consoleLocale).map(({ code, name }) => [code, name] as const), []);
  const gateways = (overview.value?.gateways ?? []).map(({ gateway }) => [gateway, gateway] as const);
  const states = Object.entries(stateNames).filter(([state]) => !['verified', 'expired'].includes(state));
  const verified = [['yes', 'Yes'] as const, ['no', 'No'] as const];
  return [
    { name: 'userId', label: 'User', kind: 'digits' },
    choice('state', 'State', states, 'Every state'),
    choice('country', 'Country', countries, 'Every country'),
    choice('gateway', 'Gateway', gateways, 'Every gateway'),
    choice('verified', 'Verified', verified),
    choice(
      'rule',
      'Rule',
      (rules.value ?? []).map(({ rule }) => [rule, rule]),
    ),
    { name: 'reason', label: 'In the reason', kind: 'text' },
  ];
}

function choice(name: string, label: string, options: readonly Option[], anyName = 'All'): FilterField {
  return { name, label, kind: 'choice', anyName, options };
}

function cellsOf(message: LoggedMessage) {
  const { userId, phoneNumber, country, gateway, channel, requestedAt, rule, reason } = message;
  return [
    <Time instant={requestedAt} />,
    <a href={hrefOf('customer', userId)}>{userId}</a>,
    <>
      {phoneNumber ?? '–'}
      <span class="small-print">{countryName(country)}</span>
    </>,
    gateway && (
      <>
        {gateway}
        {channel && <span class="small-print">{channelNames[channel]}</span>}
      </>
    ),
    <>
      <StateMark message={message} />
      {message.confirmation && <span class="small-print">{confirmationText(message)}</span>}
      {(rule ?? reason) && <span class="small-print">{rule ?? reason}</span>}
    </>,
    deliverySeconds(message) === undefined ? null : formatSpan(deliverySeconds(message)!),
  ];
}

function deliverySeconds({ state, answeredAt, stateAt }: LoggedMessage): number | undefined {
  if (state !== 'delivered' || answeredAt === null || stateAt === null) return undefined;
  return Math.max(0, Date.parse(stateAt) - Date.parse(answeredAt)) / 1000;
}
