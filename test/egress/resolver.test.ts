/** How the host names of webhooks are resolved. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createResolver } from '../../src/egress/resolver.ts';
import { asLookup } from '../../src/network/shared-lookup.ts';
import { startNameServer } from '../harness/servers/name-server.ts';

async function files(contents: Record<string, string>): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-resolver-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(contents)) await writeFile(path.join(folder, name), text);
  return Object.fromEntries(Object.keys(contents).map((name) => [name, path.join(folder, name)]));
}

it('names with a silent name server fail within the limit, and occupy no thread of Node', async () => {
  const server = await startNameServer({ 'hooks.example': '192.0.2.7' });
  const resolveHost = createResolver({ servers: [server.address] });
  const failed: string[] = [];
  const silent = Array.from({ length: 20 }, (_, index) =>
    resolveHost(`h${index}.silent`).catch((error: NodeJS.ErrnoException) => void failed.push(error.code!)),
  );
  // Node's own lookup, as gateways use it, and another name answer while the twenty are waiting.
  await lookup('localhost');
  expect(await resolveHost('hooks.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  expect(failed).toEqual([]);
  await Promise.all(silent);
  expect(failed).toEqual(Array.from({ length: 20 }, () => 'EAI_AGAIN'));
});

it('localhost and the names of the hosts file resolve without a name server', async () => {
  const { hosts } = await files({
    hosts: '# ours\n192.0.2.1 Hooks.Internal hooks # the receiver\n2001:db8::1 hooks\n',
  });
  const server = await startNameServer();
  const resolveHost = createResolver({ servers: [server.address], hostsFile: hosts! });
  expect(await resolveHost('hooks.internal')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(await resolveHost('hooks')).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  for (const host of ['localhost', 'app.localhost']) {
    expect(await resolveHost(host)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  }
  expect(server.asked).toEqual([]);
  expect(await createResolver()('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
});

it('short names are asked for with the search domains first, as getaddrinfo does', async () => {
  const { resolv } = await files({
    resolv: 'search team.svc.cluster.local cluster.local\noptions ndots:2 timeout:1\n',
  });
  const server = await startNameServer({ 'hooks.cluster.local': '10.0.0.9', 'a.b.example': '192.0.2.9' });
  const resolveHost = createResolver({ servers: [server.address], resolvConf: resolv! });
  expect(await resolveHost('hooks')).toEqual([{ address: '10.0.0.9', family: 4 }]);
  expect(await resolveHost('a.b.example')).toEqual([{ address: '192.0.2.9', family: 4 }]);
  await expect(resolveHost('absent')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect([...new Set(server.asked)]).toEqual([
    'hooks.team.svc.cluster.local',
    'hooks.cluster.local',
    'a.b.example',
    'absent.team.svc.cluster.local',
    'absent.cluster.local',
    'absent',
  ]);
});

it('a host is asked for once at a time, and after each failure later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { resolv } = await files({ resolv: '' });
  const addresses: Record<string, string> = {};
  const server = await startNameServer(addresses);
  const resolveHost = createResolver({ servers: [server.address], resolvConf: resolv! });
  const isAsked = async (afterSeconds: number) => {
    vi.advanceTimersByTime(afterSeconds * 1000);
    const before = server.asked.length;
    const [first, second] = [resolveHost('hooks.example'), resolveHost('hooks.example')];
    await Promise.allSettled([first, second]);
    // One question for each kind of address.
    expect([0, 2]).toContain(server.asked.length - before);
    return server.asked.length > before;
  };
  expect([await isAsked(0), await isAsked(9), await isAsked(2)]).toEqual([true, false, true]);
  expect([await isAsked(19), await isAsked(2)]).toEqual([false, true]);
  expect([await isAsked(39), await isAsked(2)]).toEqual([false, true]);
  expect([await isAsked(59), await isAsked(2)]).toEqual([false, true]);
  // It does not grow any further, and starts anew after a success.
  expect([await isAsked(59), await isAsked(2)]).toEqual([false, true]);
  addresses['hooks.example'] = '192.0.2.7';
  vi.advanceTimersByTime(61_000);
  expect(await resolveHost('hooks.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  delete addresses['hooks.example'];
  expect([await isAsked(0), await isAsked(9), await isAsked(2)]).toEqual([true, false, true]);
});

it('a host without an address is an error for the connection, not an uncaught one', async () => {
  const error = await new Promise((resolve) => asLookup(async () => [])('host', {}, resolve));
  expect(error).toMatchObject({ code: 'ENOTFOUND' });
});

it('an address of several that accepts is not given up because the process was busy', async () => {
  const server = createServer((socket) => socket.end());
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    // Nobody listens there.
    { address: '::1', family: 6 },
  ];
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: 'db.example', port, lookup: asLookup(async () => addresses) });
  const connected = once(socket, 'connect');
  // The connection is being made. A distant host would take as long.
  await once(socket, 'connectionAttempt');
  const busyUntil = performance.now() + 400;
  while (performance.now() < busyUntil);
  await connected;
  expect(socket.remoteAddress).toBe('127.0.0.1');
});
