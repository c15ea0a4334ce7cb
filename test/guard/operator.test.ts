/** The operator's hands, by endpoint and by command. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runHere } from '../harness/command.ts';
import { newPhone, refusal, serviceForTest, startNodes, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const get = async (service: Service, path: string) => (await service.call(path, undefined, { method: 'GET' })).json;

async function blockUser(service: Service): Promise<number> {
  const id = await service.createUser();
  for (let attempt = 0; attempt < 10; attempt += 1) await service.verify(id, 'nope');
  expect((await service.verify(id, 'nope')).status).toBe(429);
  return id;
}

describe('what an operator sends', () => {
  it('is checked: invalid words in a query, an invalid Host, a prefix that is a whole number', async () => {
    const service = await serviceForTest();
    const get = (path: string, headers = {}) => service.call(path, undefined, { method: 'GET', headers });
    for (const query of ['rule=%00', 'action=%00', 'rule=none', 'userId=x']) {
      expect([query, (await get(`/operator/guard/decisions?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await get('/operator/guard/decisions?rule=prefix&action=shadow')).status).toBe(200);
    const safe = await service.call('/operator/guard/safe-list', { prefix: '+447911123456' });
    expect([safe.status, Object.keys(safe.json.errors)]).toEqual([400, ['Prefix']]);
  });
});

describe('the operator', () => {
  it('needs the scopes', async () => {
    const service = await serviceForTest();
    const [reader, writer] = [await service.token('operator:read'), await service.token('operator:write')];
    const reads = ['guard/rules', 'guard/blocks', 'guard/safe-list', 'guard/decisions', 'actions'];
    for (const path of reads) {
      const read = (token: string | null) => service.call(`/operator/${path}`, undefined, { method: 'GET', token });
      expect([path, (await read(reader)).status, (await read(writer)).status, (await read(null)).status]).toEqual([
        path,
        200,
        403,
        401,
      ]);
    }
    for (const path of ['mode', 'lift', 'safe-list', 'safe-list/remove']) {
      const write = (token: string) => service.call(`/operator/guard/${path}`, {}, { token });
      expect([path, (await write(writer)).status, (await write(reader)).status]).toEqual([path, 400, 403]);
    }
  });

  it('sees blocks and lifts them, by id, user, phone and address; every action is in the trail', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=enforce',
      LEDGERLINE_LIMITS: 'phone-failures=3/1h/1h; address-failures=3/1h/1h; one-code=2/1h/1h',
      LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
    });
    const id = await blockUser(service);
    const phone = newPhone();
    const guesser = await service.createUser();
    await service.sendCode(guesser, phone);
    for (let attempt = 0; attempt < 3; attempt += 1) await service.verify(guesser, 'nope');
    const from = { headers: { 'x-forwarded-for': '203.0.113.7' } };
    for (let attempt = 0; attempt < 3; attempt += 1)
      await service.call(
        '/User/phone-number/verify',
        { id: 900_000 + attempt, code: attempt < 2 ? '123456' : '654321' },
        from,
      );
    const { blocks } = await get(service, '/operator/guard/blocks');
    expect(blocks.map(({ rule, subject }: { rule: string; subject: string }) => [rule, subject]).sort()).toEqual([
      ['address-failures', '203.0.113.7'],
      ['one-code', '2 users'],
      ['phone-failures', `+44…${phone.slice(-2)}`],
      ['user-failures', String(id)],
    ]);
    expect(JSON.stringify(blocks)).not.toContain(phone);

    const lift = (body: unknown) => service.call('/operator/guard/lift', body);
    expect((await lift({ userId: id })).json).toEqual({ lifted: 1 });
    expect((await service.verify(id, 'nope')).status).toBe(400);
    expect((await lift({ phoneNumber: phone })).json).toEqual({ lifted: 1 });
    expect((await service.verify(guesser, 'nope')).status).toBe(400);
    expect((await lift({ address: '203.0.113.7' })).json).toEqual({ lifted: 1 });
    const [left] = (await get(service, '/operator/guard/blocks')).blocks;
    expect((await lift({ block: left.id })).json).toEqual({ lifted: 1 });
    expect((await get(service, '/operator/guard/blocks')).blocks).toEqual([]);
    expect((await lift({ block: 'user:1999999999' })).json).toEqual(
      refusal(404, 'Not Found', 'There is no such block.'),
    );
    for (const body of [{}, { userId: 1, block: 'x' }, { address: 'x' }, { phoneNumber: 'x' }]) {
      expect((await lift(body)).status).toBe(400);
    }
    expect((await lift({ block: 'nonsense' })).status).toBe(404);

    const { actions } = await get(service, '/operator/actions');
    expect(
      actions.map(({ subject, action, target, userId }: Record<string, unknown>) => [subject, action, target, userId]),
    ).toEqual([
      ['sandbox', 'lift', 'a code', null],
      ['sandbox', 'lift', 'address 203.0.113.7', null],
      ['sandbox', 'lift', `phone +44…${phone.slice(-2)}`, null],
      ['sandbox', 'lift', `user ${id}`, id],
    ]);
  });

  it('records why a mode was changed or a block lifted, and shows the lift in the trail of the user', async () => {
    const service = await serviceForTest();
    const id = await service.createUser();
    for (let attempt = 0; attempt < 11; attempt += 1) await service.verify(id, '000000');
    const lifted = await service.call('/operator/guard/lift', { userId: id, reason: 'The customer called.' });
    expect(lifted.json).toEqual({ lifted: 1 });
    const mode = { rule: 'prefix', mode: 'shadow', reason: 'A campaign.' };
    expect((await service.call('/operator/guard/mode', mode)).status).toBe(204);
    const { json } = await service.call('/operator/actions', undefined, { method: 'GET' });
    expect(json.actions.map(({ action, detail, reason }: Record<string, unknown>) => [action, detail, reason])).toEqual(
      [
        ['set-mode', 'shadow', 'A campaign.'],
        ['lift', null, 'The customer called.'],
      ],
    );
    const trail = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    expect(trail.json.events.at(0)).toMatchObject({ kind: 'block-lifted', reason: 'sandbox', times: 1 });
    const tooLong = await service.call('/operator/guard/lift', { userId: id, reason: 'x'.repeat(501) });
    expect(tooLong.status).toBe(400);
  });

  it('lifts a block on a phone by the id it is listed under, and one on a prefix', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=off,phone-failures=enforce,prefix=enforce',
      LEDGERLINE_LIMITS: 'phone-failures=2/1h/1h',
      LEDGERLINE_RANGES: '4=1,5=100,6=100,7=100,country=100',
    });
    const id = await service.createUser();
    await service.sendCode(id, '+447911100001');
    expect((await service.sendCode(id, '+447911100002')).status).toBe(429);
    for (let attempt = 0; attempt < 2; attempt += 1) await service.verify(id, 'nope');
    let blocks: { rule: string; id: string }[] = [];
    // Ranges are written beside the requests.
    await until(async () => {
      ({ blocks } = await get(service, '/operator/guard/blocks'));
      return blocks.length === 2;
    });
    expect(blocks.toSorted((one, other) => one.rule.localeCompare(other.rule))).toMatchObject([
      { rule: 'phone-failures', id: expect.stringMatching(/^phone:[0-9a-f]{32}$/), userIds: [id] },
      { rule: 'prefix', id: 'prefix:+44791110', subject: '+44791110…', userIds: null },
    ]);
    for (const { id: block } of blocks)
      expect((await service.call('/operator/guard/lift', { block })).status).toBe(200);
    expect((await service.verify(id, 'nope')).status).toBe(400);
    expect((await service.sendCode(id, '+447911100002')).status).toBe(204);
  });

  it('lifts a prefix permanently, even if another node has not read the change yet', async () => {
    const settings = {
      LEDGERLINE_RULES: '*=off,prefix=enforce',
      LEDGERLINE_RANGES: '4=4,5=100,6=100,7=100,country=100',
    };
    const nodes = await startNodes(2, settings);
    const id = await nodes[0]!.createUser();
    let sent = 0;
    const send = async (node: Service) => {
      const { status } = await node.sendCode(id, `+4479111000${10 + sent}`);
      if (status === 204) sent += 1;
      return status;
    };
    const stored = async () =>
      (
        await nodes[0]!.sql`
        select round(day_sends)::int as sends, shrinks from guard_ranges where name = '+44791110'`
      )[0];
    for (const node of nodes) await until(async () => (await send(node)) === 429);
    await expect.poll(stored).toEqual({ sends: sent, shrinks: 1 });
    expect((await nodes[0]!.call('/operator/guard/lift', { block: 'prefix:+44791110' })).json).toEqual({ lifted: 1 });
    expect(await send(nodes[0]!)).toBe(204);
    // The other node may refuse once more, by what it remembers. That counts for nothing, and it learns of the lift.
    await until(async () => (await send(nodes[1]!)) === 204);
    await expect.poll(stored).toEqual({ sends: 2, shrinks: 0 });
    expect((await get(nodes[0]!, '/operator/guard/blocks')).blocks).toEqual([]);
  });

  it('lifts the block on one phone, and not that on another which the same user failed on', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=off,phone-failures=enforce',
      LEDGERLINE_LIMITS: 'phone-failures=2/1h/1h',
    });
    const id = await service.createUser();
    const phones = [newPhone(), newPhone()];
    for (const phone of phones) {
      await service.sendCode(id, phone);
      for (let attempt = 0; attempt < 2; attempt += 1) await service.verify(id, 'nope');
    }
    const { blocks } = await get(service, '/operator/guard/blocks');
    expect(blocks.map(({ rule }: { rule: string }) => rule)).toEqual(['phone-failures', 'phone-failures']);
    expect(new Set(blocks.map((block: { id: string }) => block.id)).size).toBe(2);
    for (const phone of phones) expect(JSON.stringify(blocks)).not.toContain(phone.slice(4));
    expect((await service.call('/operator/guard/lift', { block: blocks[0].id })).json).toEqual({ lifted: 1 });
    expect((await get(service, '/operator/guard/blocks')).blocks).toEqual([blocks[1]]);
    // What is lifted is not there to be lifted again.
    expect((await service.call('/operator/guard/lift', { block: blocks[0].id })).status).toBe(404);
    expect((await service.call('/operator/guard/lift', { block: `phone:${id}` })).status).toBe(404);
  });

  it('reads long lists on separate connections, so that other requests do not wait', async () => {
    const service = await serviceForTest();
    const id = await service.createUser();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let isLocked = () => {};
    const locked = new Promise<void>((resolve) => (isLocked = resolve));
    const holder = service.sql.begin(async (sql) => {
      await sql`lock table guard_decisions, operator_actions, guard_totals in access exclusive mode`;
      isLocked();
      await released;
    });
    await locked;
    const lists = ['guard/decisions', 'actions', 'guard/rules', 'guard/decisions?userId=1'].map((path) =>
      service.call(`/operator/${path}`, undefined, { method: 'GET' }),
    );
    await until(async () => {
      const [row] = await service.sql`
        select count(*)::int as waiting from pg_locks l where not granted and l.database = (
          select oid from pg_database where datname = current_database())`;
      return row!.waiting > 0;
    });
    expect((await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).status).toBe(200);
    release();
    await holder;
    expect((await Promise.all(lists)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('finds decisions by an index, whatever they are filtered by', async () => {
    const service = await serviceForTest();
    await service.sql`
      insert into guard_decisions (decided_at, rule, action, operation, user_id)
      select now(), 'user-sends', 'refused', 'send-code', 1000 + n % 5000 from generate_series(1, 50000) n`;
    await service.sql`
      insert into guard_decisions (decided_at, rule, action, operation, user_id)
      values (now() - interval '1 day', 'prefix', 'shadow', 'send-code', 7)`;
    await service.sql`analyze guard_decisions`;
    const queries = ['userId=7', 'rule=prefix', 'action=shadow', 'userId=7&rule=prefix&before=100000'];
    for (const query of queries) {
      const { decisions } = await get(service, `/operator/guard/decisions?${query}`);
      expect([query, decisions.length]).toEqual([query, 1]);
    }
    // A session reports what it scanned a second later, with its next statement.
    await until(async () => {
      await get(service, '/operator/guard/decisions?userId=7');
      const [row] = await service.sql`
        select sum(idx_scan)::int as scans, min(idx_scan)::int as least
        from pg_stat_user_indexes where indexrelname like 'guard_decisions_of_%'`;
      return row!.least > 0 && row!.scans >= queries.length;
    });
  });

  it('changes a mode, which every process follows and a restart keeps', async () => {
    const first = await serviceForTest();
    const second = await startService({ DATABASE_URL: first.databaseUrl });
    const id = await first.createUser();
    const german = '+4915112345678';
    const set = (mode: string) => first.call('/operator/guard/mode', { rule: 'user-sends', mode });
    const exhaust = async (service: Service) => {
      const statuses = [];
      for (let call = 0; call < 101; call += 1) statuses.push((await service.sendCode(id, german)).status);
      return statuses.at(-1);
    };
    expect(await exhaust(first)).toBe(429);
    expect((await set('shadow')).status).toBe(204);
    expect((await first.sendCode(id, german)).status).toBe(204);
    await until(async () => (await second.sendCode(id, german)).status === 204);
    await second.stop();
    const third = await startService({ DATABASE_URL: first.databaseUrl });
    expect((await third.sendCode(id, german)).status).toBe(204);
    await third.stop();
    const { rules } = await get(first, '/operator/guard/rules');
    expect(rules.find(({ rule }: { rule: string }) => rule === 'user-sends')).toMatchObject({
      mode: 'shadow',
      configuredMode: 'enforce',
      changedBy: 'sandbox',
    });
    expect((await set('configured')).status).toBe(204);
    expect((await first.sendCode(id, german)).status).toBe(429);
    expect((await set('loud')).status).toBe(400);
    expect((await first.call('/operator/guard/mode', { rule: 'x', mode: 'off' })).status).toBe(400);
    const { actions } = await get(first, '/operator/actions');
    expect(actions.map(({ target, detail }: Record<string, unknown>) => [target, detail])).toEqual([
      ['user-sends', 'configured'],
      ['user-sends', 'shadow'],
    ]);
  });

  it('puts numbers and prefixes on a safe list that rules about destinations leave alone', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=off,country=enforce,phone-sends=enforce,user-sends=enforce',
      LEDGERLINE_COUNTRIES: 'FR',
      LEDGERLINE_LIMITS: 'phone-sends=1/1d; user-sends=5/1d',
    });
    const id = await service.createUser();
    const phone = '+4915112345678';
    const safe = (body: unknown) => service.call('/operator/guard/safe-list', body);
    expect((await service.sendCode(id, phone)).status).toBe(400);
    expect((await safe({ phoneNumber: phone })).status).toBe(204);
    expect((await safe({ phoneNumber: phone })).status).toBe(204);
    expect((await safe({ prefix: '+4916' })).status).toBe(204);
    for (const body of [{}, { prefix: '49' }, { prefix: '+4', phoneNumber: phone }]) {
      expect((await safe(body)).status).toBe(400);
    }
    for (let call = 0; call < 3; call += 1) expect((await service.sendCode(id, phone)).status).toBe(204);
    expect((await service.sendCode(id, '+4916012345678')).status).toBe(204);
    expect((await service.sendCode(id, '+4917012345678')).status).toBe(400);
    expect((await service.sendCode(id, phone)).status).toBe(204);
    expect((await service.sendCode(id, phone)).status).toBe(429);
    const { entries } = await get(service, '/operator/guard/safe-list');
    expect(entries.map(({ label, isPrefix }: Record<string, unknown>) => [label, isPrefix])).toEqual([
      ['+4916', true],
      ['+49…78', false],
    ]);
    expect(JSON.stringify(entries)).not.toContain(phone);
    for (const { id: entry } of entries) {
      expect((await service.call('/operator/guard/safe-list/remove', { id: entry })).status).toBe(204);
    }
    expect((await service.call('/operator/guard/safe-list/remove', { id: '+4916' })).status).toBe(404);
    const other = await service.createUser();
    expect((await service.sendCode(other, phone)).status).toBe(400);
  });

  it('reads decisions with their reasons, numbers masked, page by page', async () => {
    const service = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=1/1d' });
    const [id, other] = [await service.createUser(), await service.createUser()];
    const phone = newPhone();
    for (let call = 0; call < 4; call += 1) await service.sendCode(id, phone);
    for (let call = 0; call < 2; call += 1) await service.sendCode(other, phone);
    await until(async () => (await get(service, '/operator/guard/decisions')).decisions.length === 4);
    const { decisions } = await get(service, `/operator/guard/decisions?rule=user-sends&userId=${id}&count=2`);
    expect(decisions).toHaveLength(2);
    expect(decisions[0]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      rule: 'user-sends',
      action: 'refused',
      operation: 'send-code',
      userId: id,
      phone: `+44…${phone.slice(-2)}`,
      phoneKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      country: 'GG',
      source: null,
      evidence: null,
      figures: null,
    });
    const next = await get(service, `/operator/guard/decisions?userId=${id}&before=${decisions[1].id}`);
    expect(next.decisions).toHaveLength(1);
    expect((await get(service, '/operator/guard/decisions?action=shadow')).decisions).toEqual([]);
    const bad = await service.call('/operator/guard/decisions?userId=x', undefined, { method: 'GET' });
    expect(bad.status).toBe(400);
    expect(JSON.stringify(decisions)).not.toContain(phone);
  });
});

it('ledgerline guard does the same on the command line, with the account as its person', async () => {
  const keys = { LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64') };
  const service = await serviceForTest(keys);
  const guard = (...args: string[]) => runHere(['guard', ...args], { ...keys, DATABASE_URL: service.databaseUrl });
  const id = await service.createUser();
  for (let attempt = 0; attempt < 10; attempt += 1) await service.verify(id, 'nope');
  expect((await guard('blocks')).stdout).toMatch(new RegExp(`user:${id} +user-failures +${id} `));
  expect((await guard('lift', `user:${id}`)).stdout).toBe('Lifted 1.\n');
  expect((await guard('lift', `user:${id}`)).stdout).toBe('There was no block. What was counted is reset.\n');
  expect((await service.verify(id, 'nope')).status).toBe(400);
  expect((await guard('lift', 'user:77777')).stderr).toBe('There is no such block.\n');
  expect((await guard('mode', 'country', 'shadow')).stdout).toBe('country is shadow.\n');
  expect((await guard('rules')).stdout).toMatch(/country +shadow +off +0 +0 +cli:/);
  expect((await guard('mode', 'nope', 'shadow')).stderr).toMatch(/^There is no rule nope\./);
  expect((await guard('safe-list', '--add', '+447911123456')).stdout).toMatch(/\+44…56/);
  expect((await guard('safe-list', '--add-prefix', '+4479')).stdout).toMatch(/\+4479…/);
  expect((await guard('decisions', '--count', '5')).code).toBe(0);
  expect((await guard('decisions', '--rule', 'nope')).stderr).toMatch(/^There is no rule nope\. The rules are /);
  expect((await guard('actions')).stdout).toMatch(/cli:\S+ +cli +lift +user \d+/);
});
