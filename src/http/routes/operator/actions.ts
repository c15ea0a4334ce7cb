import type { Audit } from '../../../audit/audit.ts';
import { instant, integer, listOf, nullable, record, timestamp, word } from '../../../formats/record.ts';
import { filterText, int32, optional, required, text } from '../../../formats/shape.ts';
import { operatorActions } from '../../../audit/operator-actions.ts';
import { parseFrom, parseTo } from '../../../values/instant.ts';
import { operation, operatorRead, reply } from '../../operation.ts';
import { query } from '../../query-shape.ts';
import { pageQuery } from '../page-query.ts';

const action = record('OperatorAction', {
  id: required(integer(), 'Its number.'),
  at: required(instant(), 'When it was done.'),
  subject: required(text(), 'The person: the token’s sub.'),
  client: required(text(), 'The client whose token it was.'),
  action: required(text({ schema: { enum: operatorActions } }), 'What was done.'),
  target: required(text(), 'What it was done to.'),
  detail: required(nullable(text()), 'The details, such as the new mode.'),
  reason: required(nullable(text()), 'Why it was done, in the operator’s words.'),
  userId: required(nullable(integer()), 'The user it was about, if it was about one.'),
});

const actions = record('OperatorActions', { actions: required(listOf(action), 'The actions.') });

export const actionFilter = {
  subject: optional(filterText({ maxLength: 256 }), 'Only actions of this person.'),
  action: optional(word(operatorActions), 'Only this action.'),
  userId: optional(int32(), 'Only actions about this user.'),
  from: optional(timestamp(parseFrom), 'Only actions from this time on.'),
  to: optional(timestamp(parseTo), 'Only actions up to this time.'),
};

export const operatorActionsOperation = (audit: Audit) =>
  operation({
    ...operatorRead,
    name: 'operator-actions',
    method: 'GET',
    path: '/operator/actions',
    summary: 'List operator actions',
    about: 'What operators did, and who. Newest first.',
    query: query({ ...actionFilter, ...pageQuery }),
    responses: { 200: { about: 'The actions.', shape: actions } },
    async handle({ query: { count, ...filter }, owner }) {
      return reply(200, actions, { actions: await audit.listActions({ ...filter, limit: count }, owner) });
    },
  });
