/** Many calls on one key, all at the same time, over two nodes with one database: no limit is exceeded. */
import { describe, expect, it } from 'vitest';
import { newPhone, startNodes, type Answer, type Service } from '../harness/service.ts';
import { solveChallenge } from '../../client/index.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

interface Pair {
  /** Asks the nodes in turn. */
  ask(index: number, path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  /** The same, for the status alone. */
  call(index: number, path: string, body: unknown, options?: CallOptions): Promise<number>;
  users: number[];
  sql: Service['sql'];
}

interface CallOptions {
  address?: string;
  /** With a token bound to this user, instead of a back end's. */
  bound?: number;
  headers?: Record<string, string>;
}

const calls = sized(60, 200);

async function startPair(settings: Record<string, string>): Promise<Pair> {
  const nodes = await startNodes(2, {
    LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
    LEDGERLINE_LIMITS: 'user-sends=off',
    LEDGERLINE_DATABASE_CONNECTIONS: '32',
    LEDGERLINE_STATEMENT_SECONDS: '60',
    // Many sends at once are what these tests are about.
    LEDGERLINE_REQUESTS: '2000',
    ...settings,
  });
  const { sql } = nodes[0]!;
  const rows = await sql`
    insert into users (id, created_at) select id, now() from generate_series(1000, ${999 + calls}) id returning id`;
  const ask: Pair['ask'] = async (index, path, body, { address, bound, headers } = {}) => {
    const node = nodes[index % 2]!;
    return node.call(path, body, {
      token: await node.token('', bound),
      headers: { ...(address && { 'x-forwarded-for': address }), ...headers },
    });
  };
  return {
    users: rows.map(({ id }) => id),
    sql,
    ask,
    call: async (index, path, body, options) => (await ask(index, path, body, options)).status,
  };
}

async function tally(answers: Promise<number>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/**
 * Exactly so many came through. On a machine that is too busy the service may answer some with 503, and one of
 * those may have been counted already: then fewer came through, and never more.
 */
function expectExactly(status: number, limit: number, counts: Record<number, number>): void {
  const { [status]: through = 0, 429: refused = 0, 503: busy = 0, ...others } = counts;
  expect(others).toEqual({});
  expect(through + refused + busy).toBe(calls);
  expect(through).toBeLessThanOrEqual(limit);
  expect(through).toBeGreaterThanOrEqual(Math.max(1, limit - busy));
}

const send = '/User/phone-number/send-code';
const verify = '/User/phone-number/verify';
const all = Array.from({ length: calls }, (_, index) => index);

describe(`${calls} parallel sends over two nodes`, { timeout: 180_000 }, () => {
  it('by one user never exceed the limit of the user', async () => {
    const pair = await startPair({
      LEDGERLINE_RULES: '*=off,user-sends=enforce',
      LEDGERLINE_LIMITS: 'user-sends=7/10m',
    });
    const counts = await tally(
      all.map((index) => pair.call(index, send, { id: pair.users[0], phoneNumber: newPhone() })),
    );
    expectExactly(204, 7, counts);
  });

  it('to one phone never exceed the limit of the phone, and those of one user leave half of it', async () => {
    const pair = await startPair({
      LEDGERLINE_RULES: '*=off,phone-sends=enforce',
      LEDGERLINE_LIMITS: 'phone-sends=9/10m',
    });
    const phoneNumber = newPhone();
    const counts = await tally(all.map((index) => pair.call(index, send, { id: pair.users[index], phoneNumber })));
    expectExactly(204, 9, counts);
    const other = newPhone();
    const own = await tally(all.map((index) => pair.call(index, send, { id: pair.users[0], phoneNumber: other })));
    expectExactly(204, 9, own);
    const others = await tally(
      all.map((index) => pair.call(index, send, { id: pair.users[index], phoneNumber: other })),
    );
    // One of them is the user who has had nine.
    expectExactly(204, 4, others);
  });

  it('from one address, and with one person’s tokens, never exceed their limits', async () => {
    const pair = await startPair({
      LEDGERLINE_RULES: '*=off,address-sends=enforce,token-sends=enforce',
      LEDGERLINE_LIMITS: 'address-sends=11/10m; token-sends=6/10m',
    });
    const counts = await tally(
      all.map((index) =>
        pair.call(index, send, { id: pair.users[index], phoneNumber: newPhone() }, { address: '203.0.113.7' }),
      ),
    );
    expectExactly(204, 11, counts);
    const [bound] = pair.users;
    await Promise.all([0, 1].map((index) => pair.call(index, verify, { id: bound, code: 'x' }, { bound: bound! })));
    const byToken = await tally(
      all.map((index) =>
        pair.call(
          index,
          send,
          { id: bound, phoneNumber: newPhone() },
          { bound: bound!, address: `198.51.100.${index % 250}` },
        ),
      ),
    );
    expectExactly(204, 6, byToken);
  });

  it('of different phones and users never exceed the limits of either', async () => {
    const pair = await startPair({ LEDGERLINE_RULES: '*=off,user-phones=enforce,phone-users=enforce' });
    const phoneNumber = newPhone();
    const [id] = pair.users;
    await tally(all.map((index) => pair.call(index, send, { id: pair.users[index], phoneNumber })));
    await tally(
      all.map((index) => pair.call(index, send, { id, phoneNumber: `+4474001${String(index).padStart(5, '0')}` })),
    );
    const [users] = await pair.sql`
      select count(*)::int as count from verifications, unnest(phones) p where p.value = ${phoneNumber}`;
    const [phones] = await pair.sql`select cardinality(phones) as count from verifications where user_id = ${id!}`;
    expect(users!.count).toBe(3);
    expect(phones!.count).toBe(3);
  });

  it('that are the first for users, phones and addresses, crossing each other, are all counted, each once', async () => {
    const pair = await startPair({
      LEDGERLINE_RULES: '*=off,user-sends=enforce,phone-sends=enforce,address-sends=enforce',
      LEDGERLINE_LIMITS: 'user-sends=900/10m; phone-sends=900/10m; address-sends=900/10m',
    });
    const phones = Array.from({ length: 23 }, newPhone);
    const answers = all.map((index) => {
      const body = { id: pair.users[index % 31], phoneNumber: phones[index % 23] };
      return pair.call(index, send, body, { address: `203.0.113.${index % 19}` });
    });
    expect(await tally(answers)).toEqual({ 204: calls });
    const [counted] = await pair.sql`
      select (select sum(cardinality(sends)) from verifications)::int as users,
        (select sum(cardinality(sends)) from phone_sends)::int as phones,
        (select sum(cardinality(sends)) from guard_sources)::int as addresses`;
    expect(counted).toEqual({ users: calls, phones: calls, addresses: calls });
  });

  it('to one country never exceed the day’s limit, and reach it to within a block of each node', async () => {
    const limit = 0.75 * calls;
    const pair = await startPair({
      LEDGERLINE_RULES: '*=off,country-sends=enforce',
      LEDGERLINE_COUNTRY_SENDS: `*=${limit}`,
    });
    const counts = await tally(
      all.map((index) => pair.call(index, send, { id: pair.users[index], phoneNumber: newPhone() })),
    );
    expect(counts[204]).toBeLessThanOrEqual(limit);
    expect(counts[204]).toBeGreaterThanOrEqual(limit - 2 * 4);
  });

  it('with one solution of a challenge pass once', async () => {
    const budget = 50;
    const pair = await startPair({
      LEDGERLINE_RULES: '*=off,prefix=enforce,challenge=enforce',
      LEDGERLINE_RANGES: `4=${budget},5=5000,6=5000,7=5000,country=5000`,
      LEDGERLINE_CHALLENGE_WORK: '400',
    });
    const [id, ...others] = pair.users;
    const phoneOf = (index: number) => `+44740012${String(index).padStart(4, '0')}`;
    await Promise.all(
      others.slice(0, budget).map((other, index) => pair.call(0, send, { id: other, phoneNumber: phoneOf(index) })),
    );
    // The second node learns with its own sends what the first one has counted, once a second. It may send few until
    // then: both budgets together are all that is left to senders with a proof.
    const body = { id, phoneNumber: phoneOf(9999) };
    let challenge: string | undefined;
    for (const index of [1, 0]) {
      await until(async () => {
        challenge = (await pair.ask(index, send, body)).headers.get('challenge') ?? undefined;
        return challenge !== undefined;
      }, 500);
    }
    const headers = { 'challenge-solution': (await solveChallenge(challenge!))! };
    expectExactly(204, 1, await tally(all.map((index) => pair.call(index, send, body, { headers }))));
    const [proofs] = await pair.sql`select count(*)::int as count from guard_proofs`;
    expect(proofs!.count).toBe(1);
  });
});

it(
  `${calls} parallel guesses over two nodes pass no limit of the user, phone, address, token or code`,
  { timeout: 180_000 },
  async () => {
    const pair = await startPair({
      LEDGERLINE_RULES:
        '*=off,user-failures=enforce,phone-failures=enforce,address-failures=enforce,token-failures=enforce,one-code=enforce',
      LEDGERLINE_LIMITS:
        'one-code=6/1h/1h; user-failures=9/1h/1h; phone-failures=12/1d/1d; address-failures=8/1h/1h; token-failures=7/1h/1h',
    });
    const guess = (index: number, id: number, options?: CallOptions) =>
      pair.call(index, verify, { id, code: 'wrong' }, options);
    const [a, b, c, d] = pair.users as [number, number, number, number];
    expectExactly(400, 9, await tally(all.map((index) => guess(index, a))));

    // Two users share a phone: its cap holds for both together, but for the one attempt a newcomer has.
    const phoneNumber = newPhone();
    for (const [index, id] of [b, c].entries()) await pair.call(index, send, { id, phoneNumber });
    const shared = await tally(all.map((index) => guess(index, index % 4 < 2 ? b : c)));
    expect(shared[400]).toBeLessThanOrEqual(13);
    expect(shared[400]).toBeGreaterThanOrEqual(12);

    const byAddress = await tally(
      all.map((index) => guess(index, pair.users[index]! + 5000, { address: '203.0.113.7' })),
    );
    expectExactly(400, 8, byAddress);

    await Promise.all([0, 1].map((index) => pair.call(index, send, { id: d, phoneNumber: newPhone() }, { bound: d })));
    expectExactly(400, 7, await tally(all.map((index) => guess(index, d, { bound: d }))));

    const withOneCode = await tally(
      all.map((index) => pair.call(index, verify, { id: pair.users[index]! + 9000, code: '135790' })),
    );
    expectExactly(400, 6, withOneCode);
  },
);
