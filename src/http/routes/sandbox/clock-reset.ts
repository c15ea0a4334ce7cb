import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { emptyAfter, operation } from '../../operation.ts';

export const resetClockOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-clock-reset',
    method: 'DELETE',
    path: '/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Reset the clock',
    about: 'Codes, counters and blocks that were made while the clock was ahead are deleted.',
    isLocalInSandbox: true,
    responses: { 204: { about: 'The clock shows the real time.' } },
    handle: () => emptyAfter(204, sandbox.resetClock()),
  });
