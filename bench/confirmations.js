/**
 * Confirmations a second: create, and check with the right code, beside send and verify with the same users, and with
 * many old confirmations.
 */
import { loadRow, measured, ratio } from './harness.js';

const connections = 48;
const rounds = 3;
const terms = { amount: '24.90', currency: 'EUR', payee: 'Corner Shop' };
const phoneOf = (id) => `+4479${String(id).padStart(8, '0')}`;

export async function benchConfirmations(bench, { each, oldRows }) {
  const service = await bench.service();
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const load = (paths, bodies) => measured(bench, service, { paths, headers, connections, requests: 'each', bodies });

  /** The newest text of each phone. The inbox has room for the messages of one load only. */
  async function codes() {
    const messages = await (await fetch(`${service.url}/sandbox/messages`)).json();
    const newest = new Map();
    for (const { phoneNumber, code } of messages) if (!newest.has(phoneNumber)) newest.set(phoneNumber, code);
    return newest;
  }

  async function play(first) {
    await bench.sql`
      insert into users (id, created_at) select id, now() from generate_series(${first}::int, ${first + each - 1}::int) id`;
    const ids = Array.from({ length: each }, (_, index) => first + index);
    const json = (bodyOf) => ids.map((id) => JSON.stringify(bodyOf(id)));
    const send = await load(
      ['/User/phone-number/send-code'],
      json((id) => ({ id, phoneNumber: phoneOf(id) })),
    );
    const sent = await codes();
    const verify = await load(
      ['/User/phone-number/verify'],
      json((id) => ({ id, code: sent.get(phoneOf(id)) })),
    );
    const create = await load(
      ids.map((id) => `/User/${id}/confirmations`),
      json(() => ({ purpose: 'payment', ...terms })),
    );
    const confirmed = await codes();
    const rows = await bench.sql`
      select user_id, confirmation_id::text as id from confirmations where user_id between ${first} and ${first + each - 1}`;
    const idOf = new Map(rows.map(({ user_id, id }) => [user_id, id]));
    const check = await load(
      ids.map((id) => `/User/${id}/confirmations/${idOf.get(id)}/check`),
      json((id) => ({ code: confirmed.get(phoneOf(id)), ...terms })),
    );
    expectOnly(send, '204', 'send');
    expectOnly(verify, '200', 'verify');
    expectOnly(create, '201', 'create');
    expectOnly(check, '200', 'check');
    return { send, verify, create, check };
  }

  let next = 1_000_001;
  /** The best of several rounds, since the machine is not equally fast at all times. */
  async function playOften() {
    const played = [];
    for (let round = 0; round < rounds; round += 1) {
      played.push(await play(next));
      next += each;
    }
    const best = (name) => played.map((figures) => figures[name]).sort((a, b) => b.perSecond - a.perSecond)[0];
    return Object.fromEntries(Object.keys(played[0]).map((name) => [name, best(name)]));
  }

  await play(900_001);
  const young = await playOften();
  await addOld(bench, oldRows);
  const old = await playOften();
  await service.stop();
  const many = `with ${oldRows.toLocaleString('en')} old confirmations`;
  return {
    title: 'Confirmations beside send and verify, fresh users, fsync on',
    rows: [
      loadRow('send', young.send),
      loadRow('create', young.create),
      loadRow('verify', young.verify),
      loadRow('check', young.check),
      loadRow(`create ${many}`, old.create),
      loadRow(`check ${many}`, old.check),
    ],
    goals: [
      { what: 'create beside send', is: ratio(young.create.perSecond, young.send.perSecond), least: 0.9 },
      { what: 'check beside verify', is: ratio(young.check.perSecond, young.verify.perSecond), least: 0.9 },
      // Beside the same load of the same moment, because the machine is not equally fast at all times.
      { what: `time of create ${many}, beside send`, is: slower(young, old, 'create', 'send'), most: 1.1 },
      { what: `time of check ${many}, beside verify`, is: slower(young, old, 'check', 'verify'), most: 1.1 },
    ],
  };
}

/** How much slower one operation has become, compared with another one that the rows do not concern. */
function slower(before, after, operation, reference) {
  const share = (figures) => figures[reference].perSecond / figures[operation].perSecond;
  return ratio(share(after), share(before));
}

/** Approved confirmations of other users, over the last 90 days. */
async function addOld(bench, count) {
  await bench.sql`
    insert into confirmations (user_id, confirmation_id, code_number, purpose, state, terms_digest, sent_state,
      texts_in_flight, created_at, expires_at, approved_at)
    select 10000000 + n % 1000000, gen_random_uuid(), 2 + n / 1000000, 'payment', 'approved',
      sha256(int4send(n)), 'accepted', 0, at, at + interval '5 minutes', at + interval '1 minute'
    from (select n, now() - n * interval '90 days' / ${count}::int as at from generate_series(1, ${count}::int) n) old`;
  await bench.sql`vacuum analyze confirmations`;
}

function expectOnly({ statuses }, status, what) {
  if (Object.keys(statuses).join() !== status) throw new Error(`${what} answered ${JSON.stringify(statuses)}`);
}
