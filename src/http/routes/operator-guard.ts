/** The operator's hands on the rules against abuse. */
import type { Caller } from '../../auth/caller.ts';
import { invalidFields } from '../../errors.ts';
import { asRule } from '../../guard/live.ts';
import { ruleModes, ruleNames } from '../../guard/rules.ts';
import { mostBlocks, type GuardDesk } from '../../guard/desk.ts';
import { parsePhoneNumber } from '../../phone/phone-number.ts';
import { body, int32, optional, required, text, type Schema } from '../../formats/shape.ts';
import { plainAddress } from '../client-address.ts';
import { empty, json, operation, queryOf, type AnyOperation } from '../operation.ts';

const tag = 'Operator';
const instant = { type: 'string', format: 'date-time' };
const word = { type: 'string' };
const maybe = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] });

/** An object with one list, both named for the client's types. */
function listOf(listTitle: string, name: string, title: string, properties: Record<string, Schema>): Schema {
  return {
    title: listTitle,
    type: 'object',
    required: [name],
    properties: {
      [name]: { type: 'array', items: { title, type: 'object', required: Object.keys(properties), properties } },
    },
  };
}

const operatorOf = ({ subject, client }: Caller) => ({ subject, client });

/** A word in the query out of those there are, or none. */
function wordIn<Word extends string>(
  parameters: URLSearchParams,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const given = parameters.get(name);
  if (given === null || given === '') return undefined;
  const known = words.find((word) => word === given);
  if (known !== undefined) return known;
  const field = name[0]!.toUpperCase() + name.slice(1);
  throw invalidFields({ [field]: [`The field ${field} must be one of ${words.join(', ')}.`] });
}

/** A number in the query, or none; what is no number is told. */
function numberIn(parameters: URLSearchParams, name: string, most: number): number | undefined {
  const given = parameters.get(name);
  if (given === null || given === '') return undefined;
  const number = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (number >= 1 && number <= most) return number;
  const field = name[0]!.toUpperCase() + name.slice(1);
  throw invalidFields({ [field]: [`The field ${field} must be between 1 and ${most}.`] });
}

const ruleWord = text({
  parse: asRule,
  message: `The field {0} must be one of ${ruleNames.join(', ')}.`,
  schema: { enum: ruleNames },
});

const modeWords = [...ruleModes, 'configured'] as const;
const modeInput = body('GuardModeRequest', {
  rule: required(ruleWord, 'The rule.'),
  mode: required(
    text({
      parse: (value) => modeWords.find((known) => known === value),
      message: `The field {0} must be one of ${modeWords.join(', ')}.`,
      schema: { enum: modeWords },
    }),
    'Its mode from now on; configured goes back to the setting.',
  ),
});

const phoneText = text({
  parse: parsePhoneNumber,
  message: 'The {0} field is not a valid phone number.',
  schema: { pattern: '^\\+[1-9]\\d{6,14}$' },
});

const liftInput = body(
  'GuardLiftRequest',
  {
    block: optional(text({ maxLength: 100 }), 'A block, by the id that the list gives it.'),
    userId: optional(int32(), 'A user: the block and all that counts against the user.'),
    phoneNumber: optional(phoneText, 'A phone: the block and all that counts against the phone.'),
    address: optional(
      text({ parse: plainAddress, message: 'The {0} field is not an address.' }),
      'A client address: the block and all that counts against it.',
    ),
  },
  (values, errors) => {
    const given = Object.values(values).filter((value) => value !== undefined).length;
    if (given !== 1 && Object.keys(errors).length === 0) {
      errors.Block = ['Give exactly one of block, userId, phoneNumber and address.'];
    }
  },
);

const safeInput = body(
  'GuardSafeRequest',
  {
    phoneNumber: optional(phoneText, 'One number.'),
    prefix: optional(
      text({
        parse: (value) => (/^\+[1-9]\d{2,8}$/.test(value) ? value : undefined),
        message: 'The {0} field must be + and 3 to 9 digits.',
        schema: { pattern: '^\\+[1-9]\\d{2,8}$' },
      }),
      'All numbers that start so.',
    ),
  },
  ({ phoneNumber, prefix }, errors) => {
    if ((phoneNumber === undefined) === (prefix === undefined) && Object.keys(errors).length === 0) {
      errors.PhoneNumber = ['Give either phoneNumber or prefix.'];
    }
  },
);

const removeInput = body('GuardSafeRemoval', {
  id: required(text({ maxLength: 100 }), 'The entry, by the id that the list gives it.'),
});

export function operatorGuardOperations(desk: GuardDesk): AnyOperation[] {
  return [
    operation({
      name: 'guard-rules',
      method: 'GET',
      path: '/operator/guard/rules',
      tag,
      summary: 'How the rules against abuse stand',
      scopes: ['operator:read'],
      responses: {
        200: {
          about: 'Every rule, with what it decided in the last 24 hours.',
          schema: listOf('GuardRules', 'rules', 'GuardRule', {
            rule: { type: 'string', enum: ruleNames },
            about: word,
            mode: { type: 'string', enum: ruleModes },
            configuredMode: { type: 'string', enum: ruleModes },
            changedAt: maybe(instant),
            changedBy: maybe(word),
            refused: { type: 'integer' },
            shadow: { type: 'integer', description: 'What it would have refused.' },
          }),
        },
      },
      handle: async () => json(200, { rules: await desk.rules() }),
    }),
    operation({
      name: 'guard-set-mode',
      method: 'POST',
      path: '/operator/guard/mode',
      tag,
      summary: 'Change the mode of a rule',
      about: 'Every process follows within seconds.',
      scopes: ['operator:write'],
      input: modeInput,
      inputRequired: true,
      example: { rule: 'prefix', mode: 'shadow' },
      responses: { 204: { about: 'The mode is changed.' } },
      async handle({ body: { rule, mode }, caller }) {
        await desk.setMode(operatorOf(caller), rule, mode === 'configured' ? undefined : mode);
        return empty(204);
      },
    }),
    operation({
      name: 'guard-blocks',
      method: 'GET',
      path: '/operator/guard/blocks',
      tag,
      summary: 'Who is blocked now',
      about: `The ${mostBlocks} that last longest.`,
      scopes: ['operator:read'],
      responses: {
        200: {
          about: 'The blocks.',
          schema: listOf('GuardBlocks', 'blocks', 'GuardBlock', {
            id: { type: 'string', description: 'What lifting takes.' },
            rule: { type: 'string', enum: ruleNames },
            subject: { type: 'string', description: 'Whom it holds. Phone numbers are masked.' },
            userIds: {
              type: ['array', 'null'],
              items: { type: 'integer' },
              description: 'The users it refuses, where it does not refuse everybody.',
            },
            until: instant,
          }),
        },
      },
      handle: async () => json(200, { blocks: await desk.blocks() }),
    }),
    operation({
      name: 'guard-lift',
      method: 'POST',
      path: '/operator/guard/lift',
      tag,
      summary: 'Lift a block',
      scopes: ['operator:write'],
      input: liftInput,
      inputRequired: true,
      example: { userId: 17 },
      responses: {
        200: {
          about: 'It is lifted.',
          schema: {
            title: 'GuardLifted',
            type: 'object',
            required: ['lifted'],
            properties: { lifted: { type: 'integer', description: 'How many blocks.' } },
          },
        },
        404: { about: 'Nothing is blocked by that name.' },
      },
      async handle({ body: { block, userId, phoneNumber, address }, caller }) {
        const lifted = await desk.lift(operatorOf(caller), { block, userId, phone: phoneNumber, address });
        return json(200, { lifted });
      },
    }),
    operation({
      name: 'guard-safe-list',
      method: 'GET',
      path: '/operator/guard/safe-list',
      tag,
      summary: 'Numbers that the rules about destinations leave alone',
      scopes: ['operator:read'],
      responses: {
        200: {
          about: 'The list, newest first.',
          schema: listOf('GuardSafeList', 'entries', 'GuardSafeEntry', {
            id: word,
            label: { type: 'string', description: 'The prefix, or the masked number.' },
            isPrefix: { type: 'boolean' },
            addedAt: instant,
            addedBy: word,
          }),
        },
      },
      handle: async () => json(200, { entries: await desk.safeList() }),
    }),
    operation({
      name: 'guard-add-safe',
      method: 'POST',
      path: '/operator/guard/safe-list',
      tag,
      summary: 'Put a number or a prefix on the safe list',
      about: 'The budgets of users, addresses and tokens, and what may be spent, hold all the same.',
      scopes: ['operator:write'],
      input: safeInput,
      inputRequired: true,
      example: { prefix: '+447911' },
      responses: { 204: { about: 'It stands on the list.' } },
      async handle({ body: { phoneNumber, prefix }, caller }) {
        await desk.addSafe(operatorOf(caller), prefix === undefined ? { phone: phoneNumber! } : { prefix });
        return empty(204);
      },
    }),
    operation({
      name: 'guard-remove-safe',
      method: 'POST',
      path: '/operator/guard/safe-list/remove',
      tag,
      summary: 'Take an entry off the safe list',
      scopes: ['operator:write'],
      input: removeInput,
      inputRequired: true,
      example: { id: '+447911' },
      responses: { 204: { about: 'It is off the list.' }, 404: { about: 'The list has no such entry.' } },
      async handle({ body: { id }, caller }) {
        await desk.removeSafe(operatorOf(caller), id);
        return empty(204);
      },
    }),
    operation({
      name: 'guard-decisions',
      method: 'GET',
      path: '/operator/guard/decisions',
      tag,
      summary: 'What the rules refused, or would have',
      about: 'Newest first. Under attack single decisions are sampled; the totals of the rules are exact.',
      scopes: ['operator:read'],
      query: {
        rule: 'Only this rule.',
        action: 'refused or shadow.',
        userId: 'Only this user.',
        before: 'Only decisions with a smaller id: the next page.',
        count: 'How many, at most 500; 100 if not given.',
      },
      responses: {
        200: {
          about: 'The decisions.',
          schema: listOf('GuardDecisions', 'decisions', 'GuardDecision', {
            id: { type: 'integer' },
            at: instant,
            rule: { type: 'string', enum: ruleNames },
            action: { type: 'string', enum: ['refused', 'shadow'] },
            operation: { type: 'string', enum: ['send-code', 'verify-phone'] },
            userId: { type: 'integer' },
            phone: maybe({ type: 'string', description: 'Masked.' }),
            phoneKey: maybe({ type: 'string', description: 'A keyed digest: the same for the same number.' }),
            country: maybe(word),
            source: maybe({ type: 'string', description: 'The client address or the token’s person.' }),
          }),
        },
      },
      async handle({ request }) {
        const parameters = queryOf(request);
        const decisions = await desk.decisions({
          rule: wordIn(parameters, 'rule', ruleNames),
          action: wordIn(parameters, 'action', ['refused', 'shadow']),
          userId: numberIn(parameters, 'userId', 2_147_483_647),
          before: numberIn(parameters, 'before', Number.MAX_SAFE_INTEGER),
          most: numberIn(parameters, 'count', 500) ?? 100,
        });
        return json(200, { decisions });
      },
    }),
    operation({
      name: 'operator-actions',
      method: 'GET',
      path: '/operator/actions',
      tag,
      summary: 'What operators did, and who',
      about: 'Newest first.',
      scopes: ['operator:read'],
      query: {
        before: 'Only actions with a smaller id: the next page.',
        count: 'How many, at most 500; 100 if not given.',
      },
      responses: {
        200: {
          about: 'The actions.',
          schema: listOf('OperatorActions', 'actions', 'OperatorAction', {
            id: { type: 'integer' },
            at: instant,
            subject: { type: 'string', description: 'The person: the token’s sub.' },
            client: word,
            action: {
              type: 'string',
              enum: ['set-mode', 'lift', 'add-safe', 'remove-safe', 'reveal-phone', 'find-users'],
            },
            target: word,
            detail: maybe(word),
            userId: maybe({ type: 'integer' }),
          }),
        },
      },
      async handle({ request }) {
        const parameters = queryOf(request);
        const before = numberIn(parameters, 'before', Number.MAX_SAFE_INTEGER);
        return json(200, { actions: await desk.actions(before, numberIn(parameters, 'count', 500) ?? 100) });
      },
    }),
  ];
}
