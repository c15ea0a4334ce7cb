import { invalidFields } from '../../errors.ts';
import { parsePhoneNumber } from '../../phone/phone-number.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { sandboxTag } from '../../sandbox/guard.ts';
import { body, int32, required } from '../../formats/shape.ts';
import { empty, json, operation, queryOf } from '../operation.ts';

/** Ten years: far enough for any test, and no date leaves the range a Date can hold. */
export const furthestAheadSeconds = 315_360_000;

export const readMessagesOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-messages',
    method: 'GET',
    path: '/sandbox/messages',
    tag: sandboxTag,
    summary: 'Read the messages that would have been sent',
    about: 'Newest first.',
    query: { phoneNumber: 'Only messages to this number. A leading space counts as +.' },
    responses: {
      200: {
        about: 'The messages.',
        schema: {
          type: 'array',
          items: {
            title: 'SandboxMessage',
            type: 'object',
            required: ['phoneNumber', 'text', 'code', 'sentAt'],
            properties: {
              phoneNumber: { type: 'string' },
              text: { type: 'string' },
              code: { type: 'string' },
              sentAt: { type: 'string', format: 'date-time' },
            },
          },
        },
      },
    },
    handle({ request }) {
      const given = queryOf(request).get('phoneNumber');
      // An unescaped + in an address means a space.
      const wanted = given?.replace(/^ /, '+');
      return json(200, sandbox.inbox.read(wanted && (parsePhoneNumber(wanted)?.key ?? wanted)));
    },
  });

const clockInput = body('SandboxClockRequest', {
  advanceSeconds: required(int32(0, furthestAheadSeconds), 'How far to move the clock forward; calls add up.'),
});

export const advanceClockOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-clock-advance',
    method: 'POST',
    path: '/sandbox/clock',
    tag: sandboxTag,
    summary: 'Move the service’s clock forward',
    about: 'It governs codes, limits and token expiry, so that you can see codes expire.',
    input: clockInput,
    inputRequired: true,
    example: { advanceSeconds: 600 },
    responses: {
      200: {
        about: 'Where the clock stands.',
        schema: {
          title: 'SandboxClock',
          type: 'object',
          required: ['now', 'aheadSeconds'],
          properties: { now: { type: 'string', format: 'date-time' }, aheadSeconds: { type: 'number' } },
        },
      },
    },
    async handle({ body: { advanceSeconds } }) {
      const clock = await sandbox.advanceClock(advanceSeconds, furthestAheadSeconds);
      if (!clock) {
        throw invalidFields({ AdvanceSeconds: [`The clock can stand at most ${furthestAheadSeconds} seconds ahead.`] });
      }
      return json(200, clock);
    },
  });

export const resetClockOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-clock-reset',
    method: 'DELETE',
    path: '/sandbox/clock',
    tag: sandboxTag,
    summary: 'Put the clock back',
    about: 'Codes, counters and blocks made ahead of time are dropped.',
    responses: { 204: { about: 'The clock shows the real time.' } },
    async handle() {
      await sandbox.resetClock();
      return empty(204);
    },
  });

export const emptySandboxOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-empty',
    method: 'DELETE',
    path: '/sandbox/data',
    tag: sandboxTag,
    summary: 'Empty the sandbox',
    about: 'Users, codes, transactions and messages go, and the clock is put back.',
    responses: { 204: { about: 'Nothing is left.' } },
    async handle() {
      await sandbox.empty();
      return empty(204);
    },
  });
