import { invalidFields } from '../../../errors.ts';
import { instant, number, record } from '../../../formats/record.ts';
import { body, int32, required } from '../../../formats/shape.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { operation, reply } from '../../operation.ts';

/** Ten years: enough for any test, and every date stays within the range of Date. */
const maximumAheadSeconds = 315_360_000;

const input = body('SandboxClockRequest', {
  advanceSeconds: required(int32(0, maximumAheadSeconds), 'How far to move the clock forward; calls add up.'),
});

const clock = record('SandboxClock', {
  now: required(instant(), 'The time by the service’s clock.'),
  aheadSeconds: required(number(), 'How far it is ahead of the real time.'),
});

export const advanceClockOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-clock-advance',
    method: 'POST',
    path: '/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Advance the clock',
    about:
      'Moves the service’s clock forward. It governs codes, limits and token expiry, so that you can see codes expire.',
    isLocalInSandbox: true,
    input,
    example: { advanceSeconds: 600 },
    responses: { 200: { about: 'The clock after the move.', shape: clock } },
    async handle({ body: { advanceSeconds } }) {
      const reading = await sandbox.advanceClock(advanceSeconds, maximumAheadSeconds);
      if (!reading) {
        throw invalidFields({ AdvanceSeconds: [`The clock can be at most ${maximumAheadSeconds} seconds ahead.`] });
      }
      return reply(200, clock, reading);
    },
  });
