import { invalidFields } from '../../../errors.ts';
import type { LiveTransactions } from '../../../events/live/live-transactions.ts';
import { eventStreamType } from '../../../formats/event-stream.ts';
import { int32, optional } from '../../../formats/shape.ts';
import type { EventStreams } from '../../event-streams.ts';
import { operation } from '../../operation.ts';
import { query } from '../../query-shape.ts';

export const liveTransactionsOperation = ({
  liveTransactions: live,
  eventStreams: streams,
}: {
  liveTransactions: LiveTransactions;
  eventStreams: EventStreams;
}) =>
  operation({
    name: 'live-transactions',
    method: 'GET',
    path: '/app/live',
    tag: 'Transactions',
    summary: 'Stream changes',
    about:
      'Server-Sent Events: changed, with `{"sequence", "transactionCount"}`, immediately and after every change; expired, ' +
      'when the token expires. Ask the list for the transactions themselves. At most 3 streams for a token’s subject and individual.',
    scopes: ['transactions:read'],
    query: query({
      individualId: optional(int32(), 'Customer identifier. A token that is bound to a user needs none.'),
    }),
    responses: {
      200: {
        about: 'The stream.',
        contentType: eventStreamType,
        examples: { [eventStreamType]: 'event: changed\ndata: {"sequence":12,"transactionCount":480}\n\n' },
      },
    },
    errors: ['unknown-individual', 'too-many-streams'],
    namesUser: ({ query: { individualId } }) => individualId,
    async handle({ query: { individualId }, caller, owner }) {
      const individual = individualId ?? caller.userId;
      if (individual === undefined) throw invalidFields({ IndividualId: ['The IndividualId field is required.'] });
      const stream = streams.open(caller, owner, `individual ${individual}`);
      const watching = live.watch(individual, {
        onChange: ({ eventId, ...state }) =>
          stream.send({ event: 'changed', id: eventId, data: JSON.stringify(state) }),
        onGone: () => stream.end(),
      });
      return stream.replyAfter(watching);
    },
  });
