import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { emptyAfter, operation } from '../../operation.ts';

export const emptySandboxOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-empty',
    method: 'DELETE',
    path: '/sandbox/data',
    tag: 'Sandbox',
    summary: 'Empty the sandbox',
    about: 'Users, codes, transactions and messages are removed, and the clock is put back.',
    isLocalInSandbox: true,
    responses: { 204: { about: 'Nothing is left.' } },
    handle: () => emptyAfter(204, sandbox.empty()),
  });
