/** One message: its history from the request to the verification, and its facts. */
import type { ComponentChildren } from 'preact';
import type { LoggedMessage } from '../../../client/index.ts';
import { useFilter } from '../address.ts';
import { hrefOf } from '../hrefs.ts';
import { wayOf, type Step } from './explain.ts';
import { countryName } from '../format.ts';
import { confirmationText, StateMark } from '../message-state.tsx';
import { useOperator } from '../operator.ts';
import { isStale, Loading, Time, ViewTitle } from '../parts.tsx';
import { refreshSeconds, useRequest } from '../requests.ts';
import { t } from '../texts.ts';
import { isAbout, useLiveMessages } from './use-live-messages.ts';

/** `17-3` is message 3 of user 17; `guard-9` a request that a rule refused, with its time in the filter. */
export function MessageDetails({ id }: { id: string }) {
  const { operations } = useOperator();
  const { from, to } = useFilter();
  const [, userId, number] = /^(\d{1,10})-(\d{1,10})$/.exec(id) ?? [];
  const request = useRequest(
    async (options) => {
      const isText = userId !== undefined;
      const query = isText
        ? { userId: Number(userId), number: Number(number) }
        : { state: 'stopped' as const, from, to, count: 200 };
      const { messages } = await operations.messages(query, options);
      const message = messages.find((each) => each.id === id);
      const trail = message && isText ? await operations.trail(message.userId, options) : undefined;
      return { message, events: trail?.events ?? [] };
    },
    [operations, id],
    refreshSeconds,
  );
  useLiveMessages((events) => isAbout(events, Number(userId)) && request.refresh());
  const { message, events } = request.value ?? {};
  return (
    <div class={isStale(request) ? 'view stale' : 'view'}>
      <ViewTitle title={t.messages.details(id)} requests={[request]} />
      <p>
        <a href={hrefOf('messages')}>{t.messages.back}</a>
      </p>
      {!request.value && !request.error && <Loading />}
      {request.value && !message && <p class="soft">{t.messages.notFound}</p>}
      {message && (
        <div class="two">
          <section class="card panel" aria-labelledby="way">
            <header class="panel-title">
              <h2 id="way">{t.messages.way}</h2>
              <StateMark message={message} />
            </header>
            <Steps steps={wayOf(message, events ?? [])} />
          </section>
          <Facts message={message} />
        </div>
      )}
    </div>
  );
}

export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol class="trail">
      {steps.map((step, index) => (
        <li key={index} class={step.tone}>
          <Time instant={step.at} />
          <p>{step.text}</p>
        </li>
      ))}
    </ol>
  );
}

function Facts({ message }: { message: LoggedMessage }) {
  const facts: [name: string, value: ComponentChildren][] = [
    [
      t.messages.customer,
      <a href={hrefOf('customer', message.userId)}>{t.common.userNamed(String(message.userId))}</a>,
    ],
    [t.messages.number, message.phoneNumber],
    [t.common.country, countryName(message.country)],
    [
      t.common.gateway,
      message.gateway && <a href={hrefOf('messages', '', { gateway: message.gateway })}>{message.gateway}</a>,
    ],
    [t.messages.channel, message.channel && t.messages.channels[message.channel]],
    [t.messages.gatewayId, message.gatewayMessageId],
    [t.common.rule, message.rule && <a href={hrefOf('guard', '', { rule: message.rule })}>{message.rule}</a>],
    [t.messages.code, message.codeNumber],
    [t.messages.purpose, confirmationText(message)],
    [t.messages.expires, message.expiresAt && <Time instant={message.expiresAt} />],
    [t.messages.language, message.locale],
    [t.messages.segments, message.segments],
  ];
  return (
    <section class="card panel" aria-labelledby="facts">
      <h2 id="facts">{t.messages.facts}</h2>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
