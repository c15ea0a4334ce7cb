/** What a process keeps in memory is bounded, whatever callers send. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { parseSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { ownKeySet } from '../src/auth/key-set.ts';
import { createVerifier } from '../src/auth/verifier.ts';
import { BoundedCache, textBytes } from '../src/sharing/bounded-cache.ts';
import { ServiceClock } from '../src/values/clock.ts';
import { BlockCounts } from '../src/transactions/list/block-counts.ts';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** Maps and sets that outlive the call that fills them, and what bounds each. */
const bounds: Record<string, string> = {
  'sharing/admission.ts #activeByCaller': 'requests in flight',
  'app/processes/channel.ts waiting': 'messages that await their reply',
  'app/processes/metrics.ts #latest': 'workers',
  'app/processes/primary.ts #members': 'workers',
  'app/processes/worker.ts takers': 'topics',
  'app/processes/shared-port.ts #underWay': 'connections',
  'app/jobs.ts repeated': 'jobs',
  'app/server.ts established': 'connections',
  'sharing/bounded-cache.ts #entries': 'its bytes',
  'db/database.ts streams': 'exports that run',
  'db/sessions/pool.ts open': 'database connections',
  'db/sessions/session.ts names': 'maxNames',
  'egress/poster.ts inFlight': 'requests in flight',
  'egress/resolver.ts failures': 'maxFailures; a host name has 253 characters',
  'egress/resolver.ts running': 'requests in flight',
  'events/gateway-events.ts down': 'gateways',
  'events/live/live-messages.ts positions': 'event streams',
  'events/live/live-transactions.ts watched': 'event streams',
  'events/webhooks/dispatcher.ts givingUp': 'webhook endpoints',
  'events/webhooks/dispatcher.ts workers': 'webhook endpoints',
  'events/webhooks/endpoint-worker.ts #inFlight': 'requests in flight',
  'events/webhooks/host-limits.ts #hosts': 'hosts of webhook endpoints',
  'sms/confirmation-text.ts formats': 'maxFormats; currencies and languages',
  'guard/decisions.ts #totals': 'rules, their actions, and hours since the last flush',
  'guard/fired-rules.ts writtenAt': 'rules and countries',
  'guard/leases.ts #leases': 'countries and channels',
  'guard/ranges/range-book.ts #entries': 'entryLimit; a name is a prefix of a phone number',
  'guard/sweeper.ts cursors': 'tables',
  'guard/ranges/week-book.ts #entries': 'countries',
  'guard/ranges/week.ts #changes': 'hours of a week',
  'http/connections/arriving-bodies.ts #bodies': 'connections',
  'http/connections/connections.ts #madeRoomAt': '1000 networks',
  'http/connections/connections.ts #networks': 'connections',
  'http/connections/connections.ts #open': 'connections',
  'http/pages.ts packed': 'two encodings',
  'http/connections/connections.ts #spares': 'connections',
  'http/connections/connections.ts readings': 'connections',
  'http/event-streams.ts counts': 'event streams',
  'http/event-streams.ts open': 'event streams',
  'http/pending-answers.ts #byCaller': 'requests in flight',
  'messages/gateway-order.ts changed': 'countries',
  'messages/trail.ts notes': 'pendingLimit; kinds and reasons are ours',
  'monitoring/observe.ts byOperation': 'operations',
  'codes/attempts-in-flight.ts #byUser': 'requests in flight',
  'codes/idempotent-send.ts open': 'requests in flight',
  'codes/second-route.ts inFlight': 'textsAtOnce',
  'codes/second-route.ts lookedUntil': 'two ways',
  'codes/second-route.ts reports': 'messages that a run finds',
  'network/shared-lookup.ts running': 'lookups in flight',
  'sharing/shared-streams.ts #open': 'streams that run',
  'sharing/slots.ts #callers': 'requests in flight',
  'sms/smpp/session.ts waiting': 'messages that await their reply',
  'statements/fonts.ts #sources': 'fonts',
  'statements/fonts.ts #widths': 'characters of a font',
  'statements/formats.ts byCurrency': 'currencies of a document',
  'statements/missing-characters.ts substitutes': 'fixed number',
  'transactions/import/camt-rows.ts #timesSeen': 'the file that a command imports',
  'transactions/record/record-rules.ts changed': 'rows of a batch',
};

const mebibyte = 1024 * 1024;

interface FilledCache {
  file: string;
  /** Creates it with room for a mebibyte. The returned function adds an entry of at least a kibibyte. */
  open(maxBytes: number): Promise<(index: number) => unknown> | ((index: number) => unknown);
  /** How many entries are added; more than fit several times over. */
  entries?: number;
}

/** Every `BoundedCache` of the service, filled as callers can fill it. */
const caches: FilledCache[] = [
  {
    file: 'auth/verifier.ts',
    // Signatures take time.
    entries: 300,
    async open(maxRememberedBytes) {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const keys = ownKeySet([{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256' }]);
      const clock = new ServiceClock();
      const known = {
        issuer: 'issuer',
        audience: 'audience',
        algorithms: ['ES256'],
        skewSeconds: 0,
        userClaim: 'user',
      };
      const verify = createVerifier({ ...known, keys, clock, maxRememberedBytes });
      return async (index) => {
        const claims = { scope: 'users phone', client_id: `client ${index}`, note: 'x'.repeat(8000) };
        const token = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'key', typ: 'at+jwt' });
        token.setIssuer('issuer').setAudience('audience').setSubject(`${index}`).setExpirationTime('1h');
        return verify(await token.sign(privateKey));
      };
    },
  },
  {
    file: 'transactions/list/block-counts.ts',
    open(maxBytes) {
      const counts = new BlockCounts(maxBytes);
      return (index) => {
        // A filter that finds nothing to count, and one with a few rows.
        counts.of(1, { search: `nothing ${index} ${'x'.repeat(500)}` });
        const keys = Array.from({ length: 10 }, (_, n): [string, string] => [
          `2026-01-01 00:00:0${n}`,
          `${index} ${n}`,
        ]);
        const block = { startTime: `2026-01-01 00:00 ${index}`, version: `${index}`, rowCount: 10, rows: 10, keys };
        counts.of(1, { search: `some ${index}` }).set(block);
      };
    },
  },
  {
    // Its entries are counts of time ranges, and numbers of individuals.
    file: 'transactions/transactions.store.ts',
    open(maxBytes) {
      const counts = new BoundedCache<string, string>(maxBytes / 2);
      const large = new BoundedCache<number, true>(maxBytes / 2);
      return (index) => {
        const text = `${index} ${'x'.repeat(1000)}`;
        counts.set(`1 ${index}`, text, textBytes(text));
        for (let n = 0; n < 10; n += 1) large.set(index * 10 + n, true, 0);
      };
    },
  },
];

interface Node {
  type: string;
  start: number;
  end: number;
  name?: string;
  key?: Node;
  id?: Node;
  value?: Node;
  init?: Node;
  callee?: Node;
  object?: Node;
  property?: Node;
}

/** Calls `visit` with each node of a syntax tree, and the nodes around it, outermost first. */
function walk(node: unknown, visit: (node: Node, around: Node[]) => void, around: Node[] = []): void {
  if (Array.isArray(node)) for (const each of node) walk(each, visit, around);
  if (typeof node !== 'object' || node === null || typeof (node as Node).type !== 'string') return;
  visit(node as Node, around);
  for (const part of Object.values(node)) walk(part, visit, [...around, node as Node]);
}

const isFunction = ({ type }: Node) => /Function/.test(type);

/** The collections of a file that another function than the one that makes them adds to: they outlive a call. */
function collectionsIn(file: string, text: string): string[] {
  if (!/new (Map|Set)\b/.test(text)) return [];
  const { program } = parseSync(file, text);
  const textOf = ({ start, end }: Node) => text.slice(start, end);
  const made: { name: string; owner: Node }[] = [];
  walk(program, (node, around) => {
    const value = { PropertyDefinition: node.value, VariableDeclarator: node.init }[node.type];
    if (value?.type !== 'NewExpression' || !['Map', 'Set'].includes(value.callee!.name!)) return;
    const owner = around.findLast((each) => isFunction(each) || each.type === 'ClassBody') ?? program;
    made.push({ name: textOf((node.key ?? node.id)!), owner });
  });
  const grows = ({ name, owner }: (typeof made)[number]) => {
    let isFound = false;
    walk(owner, ({ type, callee }, around) => {
      if (type !== 'CallExpression' || !['set', 'add'].includes(callee!.property?.name ?? '')) return;
      const isInOther = around.some((each) => isFunction(each) && each !== owner);
      isFound ||= isInOther && textOf(callee!.object!).replace('this.', '') === name;
    });
    return isFound;
  };
  return made.filter(grows).map(({ name }) => `${file} ${name.replace(/:.*/s, '')}`);
}

async function sources(): Promise<[file: string, text: string][]> {
  const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return Promise.all(names.map(async (name) => [name, await readFile(path.join(source, name), 'utf8')] as const)).then(
    (all) => all.map(([name, text]) => [name.replaceAll(path.sep, '/'), text]),
  );
}

describe('a collection that outlives a call', () => {
  it('is in the table of bounds', async () => {
    const found = new Set((await sources()).flatMap(([file, text]) => collectionsIn(file, text)));
    expect([...found].filter((name) => bounds[name] === undefined)).toEqual([]);
    expect(Object.keys(bounds).filter((name) => !found.has(name))).toEqual([]);
  });

  it('is in the table of caches if it is one', async () => {
    const found = (await sources()).filter(([, text]) => text.includes('new BoundedCache')).map(([file]) => file);
    expect(found.sort()).toEqual(caches.map(({ file }) => file).sort());
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The least of a few collections: what other tests of the process have left is released only between them. */
async function usedBytes(): Promise<number> {
  let least = Infinity;
  for (let collections = 0; collections < 3; collections += 1) {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
    await setImmediate();
  }
  return least;
}

describe('a cache', () => {
  it.each(caches)(
    'of $file keeps no more than its bytes, however many entries callers cause',
    async ({ open, entries = 8000 }) => {
      const add = await open(mebibyte);
      // What is made once, such as compiled code, is made before the measurement.
      for (let index = 0; index < 20; index += 1) await add(-index);
      const before = await usedBytes();
      for (let index = 0; index < entries; index += 1) await add(index);
      // Without a bound it would grow by eight times as much.
      expect((await usedBytes()) - before).toBeLessThan(1.5 * mebibyte);
      // So that it is not collected before.
      await add(0);
    },
  );

  it('drops the oldest entries first, and one that is larger than the cache at once', () => {
    const cache = new BoundedCache<string, number>(600);
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 50);
    expect(cache.use('a')).toBe(1);
    cache.set('d', 1, 50);
    const keptKeys = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined);
    expect(keptKeys()).toEqual(['a', 'c', 'd']);
    cache.set('e', 1, 1000);
    expect(keptKeys()).toEqual([]);
  });
});
