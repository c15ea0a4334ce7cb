/**
 * Code that runs outside a request: callbacks of timers and listeners. An error in one of them would end the process.
 * Rejected promises are the linter's task (no-floating-promises, no-misused-promises); this is about what is thrown.
 *
 * A callback is safe if it is wrapped by `every` or `guarded` of `src/monitoring/background.ts`. All others are listed here, with
 * the reason why they cannot throw. A new one fails this test: wrap it, or add it with its reason.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

const settles = 'settles a promise, or sets a variable';
const closes = 'closes or destroys a socket or stream, which does not throw';
const counts = 'changes maps, sets and numbers of its own';
const tries = 'catches its own errors';
const observes = 'observes, which does not throw';
const worker = 'runs in a worker thread, whose error its owner handles';
const commandLine = 'is a command, which an error should end';

/** By file: how many there are, and why they cannot throw. */
const known: Record<string, [number, string]> = {
  'app/jobs.ts': [2, tries],
  'app/processes/channel.ts': [1, settles],
  'app/processes/primary.ts': [6, settles],
  'app/processes/shared-port.ts': [2, settles],
  'app/processes/worker.ts': [2, settles],
  'app/server.ts': [9, `${closes}; an error of the port is reported`],
  'cli/input.ts': [1, commandLine],
  'cli/log-output.ts': [4, tries],
  'cli/serve.ts': [5, observes],
  'cli/signals.ts': [1, settles],
  'db/sessions/cancel.ts': [2, tries],
  'db/database.ts': [1, tries],
  'db/embedded/embedded.ts': [9, settles],
  'db/sessions/session.ts': [4, closes],
  'db/sessions/socket.ts': [4, closes],
  'egress/poster.ts': [9, settles],
  'egress/proxy.ts': [7, settles],
  'egress/resolver.ts': [1, settles],
  'events/webhooks/endpoint-worker.ts': [3, tries],
  'network/free-port.ts': [1, settles],
  'network/give-time.ts': [3, settles],
  'http/connections/arriving-bodies.ts': [1, counts],
  'http/connections/connections.ts': [9, counts],
  'http/event-streams.ts': [3, counts],
  'http/incoming.ts': [3, settles],
  'http/connections/linger.ts': [4, closes],
  'http/pending-answers.ts': [1, counts],
  'http/pipeline.ts': [1, counts],
  'http/request-owner.ts': [1, settles],
  'http/server.ts': [4, observes],
  'http/body/spill.ts': [1, tries],
  'main.ts': [1, settles],
  'messages/receipts.ts': [1, settles],
  'sharing/slots.ts': [2, settles],
  'sms/failover.ts': [1, settles],
  'sms/gateways/smpp.ts': [1, tries],
  'sms/http.ts': [9, settles],
  'sms/smpp/session.ts': [8, tries],
  'statements/statement-worker.ts': [1, worker],
  'statements/statement-writer.ts': [4, settles],
  'statements/typesetter.ts': [2, counts],
  'transactions/import/import-camt.ts': [6, commandLine],
  'transactions/export/make-statement.ts': [2, closes],
};

const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'giveTime'];
const listening = ['on', 'once', 'addListener', 'prependListener', 'addEventListener', 'nextTick'];

/** Whether the callback is made by one of these functions. */
const wrappers = ['guarded', 'every'];

interface Node {
  type: string;
  name?: string;
  property?: Node;
  callee?: Node;
}

function nameOf(node: Node | undefined): string {
  return node?.property?.name ?? node?.name ?? '';
}

function isWrapped(callback: Node | undefined): boolean {
  return callback?.type === 'CallExpression' && wrappers.includes(nameOf(callback.callee));
}

function countCallbacks(file: string, text: string): number {
  const { program, errors } = parseSync(file, text);
  expect(errors, file).toEqual([]);
  let count = 0;
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      const name = nameOf(callee as Node);
      const isTimer = callee.type === 'Identifier' && timers.includes(name) && given.length > 0;
      const isListener =
        callee.type === 'MemberExpression' &&
        listening.includes(name) &&
        given.length > 1 &&
        given[0]!.type !== 'ObjectExpression';
      const callback = (isTimer ? given[0] : given[1]) as Node | undefined;
      if ((isTimer || isListener) && !isWrapped(callback)) count += 1;
    },
  }).visit(program);
  return count;
}

it('every callback of a timer or a listener handles its errors', async () => {
  const names = await readdir(root, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && name !== 'monitoring/background.ts').sort();
  const found: Record<string, number> = {};
  for (const name of files) {
    const count = countCallbacks(name, await readFile(path.join(root, name), 'utf8'));
    if (count > 0) found[name.split(path.sep).join('/')] = count;
  }
  expect(found).toEqual(Object.fromEntries(Object.entries(known).map(([name, [count]]) => [name, count])));
});
