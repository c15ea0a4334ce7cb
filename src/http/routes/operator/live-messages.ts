import type { LiveMessages } from '../../../events/live/live-messages.ts';
import { eventStreamType } from '../../../formats/event-stream.ts';
import type { EventStreams } from '../../event-streams.ts';
import { operation, operatorRead } from '../../operation.ts';

export const operatorLiveMessagesOperation = ({
  liveMessages: live,
  eventStreams: streams,
}: {
  liveMessages: LiveMessages;
  eventStreams: EventStreams;
}) =>
  operation({
    ...operatorRead,
    name: 'operator-live-messages',
    method: 'GET',
    path: '/operator/messages/live',
    summary: 'Stream messages',
    about:
      'Server-Sent Events: ready, immediately; message, with a `phone.*` event; expired, when the token expires. ' +
      'With Last-Event-ID nothing is missed between two streams.',
    requestHeaders: { 'Last-Event-ID': 'The id of the last event of an earlier stream: continues after it.' },
    responses: {
      200: {
        about: 'The stream.',
        contentType: eventStreamType,
        examples: { [eventStreamType]: 'event: ready\nid: AAAAAAAAAAE\ndata: {}\n\n' },
      },
    },
    errors: ['too-many-streams'],
    async handle({ caller, owner, request }) {
      const stream = streams.open(caller, owner, 'messages');
      const following = live.follow(request.headers['last-event-id'] as string | undefined, {
        onStart: (cursor) => stream.send({ event: 'ready', id: cursor, data: '{}' }),
        onEvent: (event, cursor) => stream.send({ event: 'message', id: cursor, data: event }),
      });
      return stream.replyAfter(following);
    },
  });
