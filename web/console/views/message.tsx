/** One message: its history from the request to the verification, and its facts. */
import type { LoggedMessage } from '../../../client/index.ts';
import { useResource } from '../../data/use-resource.ts';
import { Facts, type Fact } from '../../ui/facts.tsx';
import { Timeline } from '../../ui/timeline.tsx';
import { countryName } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { confirmationText, StateMark } from '../message-state.tsx';
import { refreshSeconds, useOperator } from '../operator.ts';
import { ExactTime } from '../parts.tsx';
import { t } from '../texts.ts';
import { wayOf } from './explain.ts';
import { isAbout, useLiveMessages } from './use-live-messages.ts';

interface MessageDetailsProps {
  /** `17-3` is message 3 of user 17; `guard-9` a request that a rule refused. */
  id: string;
  /** When it was requested, as the link says. */
  at: string | undefined;
}

export function MessageDetails({ id, at }: MessageDetailsProps) {
  const { operations } = useOperator();
  const [, userId, number] = /^(\d{1,10})-(\d{1,10})$/.exec(id) ?? [];
  const request = useResource(
    [operations, id],
    async (options) => {
      const isText = userId !== undefined;
      const query = isText
        ? { userId: Number(userId), number: Number(number) }
        : { state: 'stopped' as const, from: at, to: at, count: 200 };
      const { messages } = await operations.messages(query, options);
      const message = messages.find((each) => each.id === id);
      const trail = message && isText ? await operations.trail(message.userId, options) : undefined;
      return { message, events: trail?.events ?? [] };
    },
    { everySeconds: refreshSeconds },
  );
  useLiveMessages((event) => isAbout(event, Number(userId)) && request.refreshSoon());
  return (
    <Content of={request}>
      {({ message, events }) =>
        message ? (
          <>
            <Panel title={t.messages.way} actions={<StateMark message={message} />}>
              <Timeline steps={wayOf(message, events)} timeOf={(instant) => <ExactTime instant={instant} />} />
            </Panel>
            <Panel title={t.messages.facts}>
              <Facts facts={factsOf(message)} />
            </Panel>
          </>
        ) : (
          <p class="soft">{t.messages.notFound}</p>
        )
      }
    </Content>
  );
}

function factsOf(message: LoggedMessage): Fact[] {
  const { userId, gateway, channel, rule, expiresAt } = message;
  return [
    [t.common.user, <a href={hrefOf('customer', userId)}>{t.common.userNamed(String(userId))}</a>],
    [t.messages.number, message.phoneNumber],
    [t.common.country, countryName(message.country)],
    [t.common.gateway, gateway && <a href={hrefOf('messages', '', { gateway })}>{gateway}</a>],
    [t.messages.channel, channel && t.messages.channels[channel]],
    [t.messages.gatewayId, message.gatewayMessageId],
    [t.common.rule, rule && <a href={hrefOf('guard', '', { rule })}>{rule}</a>],
    [t.messages.code, message.codeNumber],
    [t.messages.purpose, confirmationText(message)],
    [t.messages.expires, expiresAt && <ExactTime instant={expiresAt} />],
    [t.messages.language, message.locale],
    [t.messages.segments, message.segments],
  ];
}
