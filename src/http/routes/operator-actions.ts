import type { GuardDesk } from '../../guard/desk.ts';
import { instant, integer, listOf, nullable, record } from '../../formats/record.ts';
import { required, text } from '../../formats/shape.ts';
import { operation, reply } from '../operation.ts';
import { query } from '../query-shape.ts';
import { pageQuery } from './page-query.ts';

const actionNames = [
  'set-mode',
  'lift',
  'add-safe',
  'remove-safe',
  'reveal-phone',
  'find-users',
  'erase-user',
  'read-user-data',
];

const action = record('OperatorAction', {
  id: required(integer(), 'Its number.'),
  at: required(instant(), 'When it was done.'),
  subject: required(text(), 'The person: the token’s sub.'),
  client: required(text(), 'The client whose token it was.'),
  action: required(text({ schema: { enum: actionNames } }), 'What was done.'),
  target: required(text(), 'What it was done to.'),
  detail: required(nullable(text()), 'The particulars, such as the new mode.'),
  reason: required(nullable(text()), 'Why it was done, in the operator’s words.'),
  userId: required(nullable(integer()), 'The user it was about, if it was about one.'),
});

const actions = record('OperatorActions', { actions: required(listOf(action), 'The actions.') });

export const operatorActionsOperation = (desk: GuardDesk) =>
  operation({
    name: 'operator-actions',
    method: 'GET',
    path: '/operator/actions',
    tag: 'Operator',
    summary: 'List operator actions',
    about: 'What operators did, and who. Newest first.',
    scopes: ['operator:read'],
    query: query(pageQuery),
    responses: { 200: { about: 'The actions.', shape: actions } },
    handle: async ({ query: { before, count } }) => reply(200, actions, { actions: await desk.actions(before, count) }),
  });
