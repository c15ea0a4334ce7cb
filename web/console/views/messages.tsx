/** The live log of texts, with a filter, and the history of each text. */
import { useMemo } from 'preact/hooks';
import type { LoggedMessage, OperatorMessageFilter } from '../../../client/index.ts';
import { countriesIn } from '../../intl/countries.ts';
import { goTo, useAddress } from '../address.ts';
import { hrefOf, pickFilter, type Filter } from '../hrefs.ts';
import { FilterForm, type FilterField } from '../filters.tsx';
import { countryName, consoleLocale, formatSpan } from '../format.ts';
import { MessageDetails } from './message.tsx';
import { confirmationText, StateMark } from '../message-state.tsx';
import { useOperator } from '../operator.ts';
import { isStale, Loading, pageSizeOf, Table, Time, ViewTitle } from '../parts.tsx';
import { useRequest } from '../requests.ts';
import { t } from '../texts.ts';
import { useCursorPages } from '../use-cursor-pages.ts';
import { useLiveMessages } from './use-live-messages.ts';

const names = ['userId', 'country', 'gateway', 'state', 'verified', 'rule', 'reason', 'from', 'to'] as const;

export function MessagesView() {
  const { part, filter } = useAddress();
  return part === '' ? <MessageList filter={filter} /> : <MessageDetails key={part} id={part} />;
}

function MessageList({ filter }: { filter: Filter }) {
  const { operations } = useOperator();
  const query: OperatorMessageFilter = pickFilter(filter, names);
  const key = JSON.stringify(query);
  const count = pageSizeOf(50, 20);
  const messages = useCursorPages(
    async (after: string | undefined, options) => {
      const page = await operations.messages({ ...query, after, count }, options);
      return { rows: page.messages, next: page.next ?? undefined };
    },
    [operations, key],
  );
  useLiveMessages(messages.refresh);
  const isEmpty = messages.value?.length === 0;
  return (
    <div class={isStale(messages) ? 'view stale' : 'view'}>
      <ViewTitle title={t.common.messages} requests={[messages]} />
      <p class="soft lead">{t.messages.lead}</p>
      <MessageFilter filter={filter} />
      <section class="card panel" aria-label={t.common.messages}>
        {!messages.value && !messages.error && <Loading />}
        {isEmpty && <p class="soft">{messages.showOlder ? t.messages.noneYet : t.messages.none}</p>}
        {messages.value && !isEmpty && <MessageTable messages={messages.value} />}
        {messages.showOlder && (
          <p class="older">
            {isEmpty && <span class="soft">{t.messages.searchedPart} </span>}
            <button type="button" class="quiet small" onClick={messages.showOlder}>
              {isEmpty ? t.messages.searchFurther : t.common.showOlder}
            </button>
          </p>
        )}
      </section>
    </div>
  );
}

function MessageFilter({ filter }: { filter: Filter }) {
  const { operations } = useOperator();
  const overview = useRequest((options) => operations.overview(1, options), [operations]);
  const rules = useRequest((options) => operations.guardRules(options), [operations]);
  const countries = useMemo(() => countriesIn(consoleLocale), []);
  const states = Object.entries(t.messages.states).filter(([state]) => !['verified', 'expired'].includes(state));
  const fields: FilterField[] = [
    { name: 'userId', label: t.messages.customer, kind: 'user' },
    choice(
      'country',
      t.common.country,
      t.messages.everyCountry,
      countries.map(({ code, name }) => [code, name]),
    ),
    choice(
      'gateway',
      t.common.gateway,
      t.messages.everyGateway,
      (overview.value?.gateways ?? []).map(({ gateway }) => [gateway, gateway]),
    ),
    choice('state', t.common.state, t.messages.everyState, states),
    choice('verified', t.messages.verifiedOrNot, t.common.all, [
      ['yes', t.messages.yes],
      ['no', t.messages.no],
    ]),
    choice(
      'rule',
      t.common.rule,
      t.common.all,
      (rules.value ?? []).map(({ rule }) => [rule, rule]),
    ),
    { name: 'reason', label: t.messages.inReason, kind: 'text' },
    { name: 'from', label: t.common.from, kind: 'time' },
    { name: 'to', label: t.common.to, kind: 'time' },
  ];
  return (
    <FilterForm
      label={t.common.filter}
      fields={fields}
      filter={filter}
      onSearch={(next) => goTo(hrefOf('messages', '', next))}
    />
  );
}

function choice(name: string, label: string, anyName: string, options: (readonly [string, string])[]): FilterField {
  return { name, label, kind: 'choice', anyName, options };
}

function MessageTable({ messages }: { messages: LoggedMessage[] }) {
  return (
    <Table
      columns={[
        t.common.when,
        t.messages.customer,
        t.messages.number,
        t.common.gateway,
        t.common.state,
        t.messages.took,
      ]}
      rows={messages.map((message) => ({ key: message.id, cells: cellsOf(message) }))}
    />
  );
}

function cellsOf(message: LoggedMessage) {
  const { id, userId, phoneNumber, country, gateway, channel, requestedAt, rule, reason } = message;
  return [
    <a href={hrefOf('messages', id, message.number === null ? { from: requestedAt, to: requestedAt } : {})}>
      <Time instant={requestedAt} />
    </a>,
    <a href={hrefOf('customer', userId)}>{userId}</a>,
    <>
      {phoneNumber ?? '–'}
      <span class="about">{countryName(country)}</span>
    </>,
    gateway && (
      <>
        {gateway}
        {channel && <span class="about">{t.messages.channels[channel]}</span>}
      </>
    ),
    <>
      <StateMark message={message} />
      {message.confirmation && <span class="about">{confirmationText(message)}</span>}
      {(rule ?? reason) && <span class="about">{rule ?? reason}</span>}
    </>,
    deliverySeconds(message) === undefined ? null : formatSpan(deliverySeconds(message)!),
  ];
}

function deliverySeconds({ state, answeredAt, stateAt }: LoggedMessage): number | undefined {
  if (state !== 'delivered' || answeredAt === null || stateAt === null) return undefined;
  return Math.max(0, Date.parse(stateAt) - Date.parse(answeredAt)) / 1000;
}
