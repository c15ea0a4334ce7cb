import { blockLimit, type GuardControl } from '../../../guard/control/guard-control.ts';
import { ruleNames } from '../../../guard/rules.ts';
import { instant, integer, listOf, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';

const block = record('GuardBlock', {
  id: required(text(), 'The id by which it can be lifted.'),
  rule: required(text({ schema: { enum: ruleNames } }), 'The rule that blocks.'),
  subject: required(text(), 'Who is blocked. Phone numbers are masked.'),
  userIds: required(nullable(listOf(integer())), 'The users it refuses; null if it refuses everybody.'),
  until: required(instant(), 'When it ends.'),
});

const blocks = record('GuardBlocks', { blocks: required(listOf(block), 'The blocks.') });

export const guardBlocksOperation = (control: GuardControl) =>
  operation({
    ...operatorRead,
    name: 'guard-blocks',
    method: 'GET',
    path: '/operator/guard/blocks',
    summary: 'List blocks',
    about: `The ${blockLimit} that last longest.`,
    responses: { 200: { about: 'The blocks.', shape: blocks } },
    handle: async ({ owner }) => reply(200, blocks, { blocks: await control.blocks(owner) }),
  });
