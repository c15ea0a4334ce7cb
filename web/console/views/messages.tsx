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
import { confirmationText, StateMark } from '../message-state.tsx';
import { useOperator } from '../operator.ts';
import { pageSizeOf, Time } from '../parts.tsx';
import { t } from '../texts.ts';
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
      title={t.common.messages}
      fields={useFields()}
      log={log}
      pages={messages}
      none={isSearching ? t.messages.noneYet : t.messages.none}
      olderText={isSearching ? t.messages.searchFurther : t.common.showOlder}
      columns={[t.common.when, t.common.user, t.messages.number, t.common.gateway, t.common.state, t.messages.took]}
      rowOf={(message) => ({ id: message.id, at: message.requestedAt, cells: cellsOf(message) })}
      detailTitle={t.messages.details}
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
  const states = Object.entries(t.messages.states).filter(([state]) => !['verified', 'expired'].includes(state));
  const verified = [['yes', t.messages.yes] as const, ['no', t.messages.no] as const];
  return [
    { name: 'userId', label: t.common.user, kind: 'digits' },
    choice('state', t.common.state, states, t.messages.everyState),
    choice('country', t.common.country, countries, t.messages.everyCountry),
    choice('gateway', t.common.gateway, gateways, t.messages.everyGateway),
    choice('verified', t.messages.verifiedOrNot, verified),
    choice(
      'rule',
      t.common.rule,
      (rules.value ?? []).map(({ rule }) => [rule, rule]),
    ),
    { name: 'reason', label: t.messages.inReason, kind: 'text' },
  ];
}

function choice(name: string, label: string, options: readonly Option[], anyName = t.common.all): FilterField {
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
        {channel && <span class="small-print">{t.messages.channels[channel]}</span>}
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
