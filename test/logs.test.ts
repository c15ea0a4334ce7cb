/** What an operator finds in the log about a request that was refused. */
import { expect, it } from 'vitest';
import { serviceForTest } from './harness/service.ts';

const linesOf = (logLines: string[]) => logLines.map((line) => JSON.parse(line) as Record<string, unknown>);

it('says why a token was refused, and which scope a token lacks', async () => {
  const service = await serviceForTest();
  const status = (token: string | null) => service.call('/User/1/status', undefined, { method: 'GET', token });
  await status(null);
  await status('nonsense');
  await status(await service.token('transactions:read'));
  const refused = linesOf(service.logLines).filter(({ operation }) => operation === 'user-status');
  expect(refused.map(({ status: code, reason, detail }) => ({ code, reason, detail }))).toEqual([
    { code: 401, reason: 'invalid-token', detail: undefined },
    { code: 401, reason: 'invalid-token', detail: 'the token is malformed' },
    { code: 403, reason: 'missing-scope', detail: undefined },
  ]);
});

it('does not log probes that find everything well, unless debugging', async () => {
  const quiet = await serviceForTest();
  const chatty = await serviceForTest({ LEDGERLINE_LOG_LEVEL: 'debug' });
  for (const { url } of [quiet, chatty]) {
    for (const probe of ['live', 'ready']) await (await fetch(`${url}/health/${probe}`)).text();
  }
  const probes = (lines: string[]) =>
    linesOf(lines).filter(({ operation }) => /^(live|ready)$/.test(String(operation)));
  expect(probes(quiet.logLines)).toEqual([]);
  expect(probes(chatty.logLines).map(({ level }) => level)).toEqual(['debug', 'debug']);
});
