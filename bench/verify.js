/** Codes per second: send, and verify with the right code, each with new users. */
import { createCodesStore } from '../dist/codes/codes.store.js';
import { createPhoneStore } from '../dist/phone/phone.store.js';
import { loadRow, measured, pgbench, ratio, recordStatements, round } from './harness.js';
import { reserveAttempt, reserveSend } from './phone-calls.js';

const each = 9600;
const connections = 48;
const clients = 32;

const phoneOf = (id) => `+4479${String(id).padStart(8, '0')}`;

export async function benchVerify(bench) {
  const service = await bench.service();
  const bare = await bench.bare();
  const pools = { service: 1_000_001, bare: 2_000_001, pgbench: 3_000_001, warm: 4_000_001, warmBare: 5_000_001 };
  for (const first of Object.values(pools)) {
    await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${first}::int, ${first + each}::int) id`;
  }
  const ids = (first) => Array.from({ length: each }, (_, index) => first + index);
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const ours = (path, bodies) =>
    measured(bench, service, { paths: [path], headers, connections, requests: 'each', bodies });
  // The same headers and bodies; the bare server takes its parameters from the path.
  const theirs = (paths, bodies) => measured(bench, bare, { paths, headers, connections, requests: 'each', bodies });
  const sends = (first) => ids(first).map((id) => JSON.stringify({ id, phoneNumber: phoneOf(id) }));
  const bareSends = (first) => ids(first).map((id) => `/send/${id}/${encodeURIComponent(phoneOf(id))}`);

  await ours('/User/phone-number/send-code', sends(pools.warm));
  await theirs(bareSends(pools.warmBare), sends(pools.warmBare));
  const ourSend = await ours('/User/phone-number/send-code', sends(pools.service));
  // The inbox has room for the messages of one load only.
  const messages = await (await fetch(`${service.url}/sandbox/messages`)).json();
  const codes = new Map(messages.map(({ phoneNumber, code }) => [phoneNumber, code]));
  const bareSend = await theirs(bareSends(pools.bare), sends(pools.bare));

  const verifies = ids(pools.service).map((id) => JSON.stringify({ id, code: codes.get(phoneOf(id)) }));
  const ourVerify = await ours('/User/phone-number/verify', verifies);
  const bareVerify = await theirs(
    ids(pools.bare).map((id) => `/verify/${id}/${encodeURIComponent(phoneOf(id))}`),
    verifies,
  );

  const perClient = each / clients;
  const statements = (calls) =>
    pgbench(
      bench,
      `\\set n :n + 1\n\\set id ${pools.pgbench - 1} + :client_id * ${perClient} + :n\n${calls.join('\n')}\n`,
      { clients, transactions: perClient, variables: { n: 0 } },
    );
  const { send, verify } = await phoneStatements();
  const pgSend = statements(send);
  const pgVerify = statements(verify);

  await service.stop();
  await bare.stop();
  expectOnly(ourSend, '204', 'send-code');
  expectOnly(bareSend, '200', 'the bare send');
  expectOnly(ourVerify, '200', 'verify');
  expectOnly(bareVerify, '200', 'the bare verify');
  return {
    title: 'Send and verify, fresh users, fsync on',
    rows: [
      loadRow('send: service', ourSend),
      loadRow('send: bare server, same statements', bareSend),
      {
        what: `send: pgbench, same statements without the inbox, ${clients} clients`,
        perSecond: pgSend && round(pgSend),
      },
      loadRow('verify: service', ourVerify),
      loadRow('verify: bare server, same statements', bareVerify),
      { what: `verify: pgbench, same statements, ${clients} clients`, perSecond: pgVerify && round(pgVerify) },
    ],
    goals: [
      { what: 'send beside the bare server', is: ratio(ourSend.perSecond, bareSend.perSecond), least: 0.7 },
      { what: 'verify beside the bare server', is: ratio(ourVerify.perSecond, bareVerify.perSecond), least: 0.7 },
      { what: 'send beside pgbench', is: ratio(ourSend.perSecond, pgSend), least: 0.25 },
      { what: 'verify beside pgbench', is: ratio(ourVerify.perSecond, pgVerify), least: 0.25 },
    ],
  };
}

function expectOnly({ statuses }, status, what) {
  if (Object.keys(statuses).join() !== status) throw new Error(`${what} answered ${JSON.stringify(statuses)}`);
}

/** The store's statements for one send and one verify, as pgbench scripts. */
async function phoneStatements() {
  const id = 987_654_321;
  const now = new Date();
  const expressions = new Map([
    [id, ':id'],
    [phoneOf(id), "('+4479' || lpad(:id::text, 8, '0'))"],
  ]);
  const record = async (work) => {
    const { db, statements } = recordStatements(now, expressions);
    await work(createPhoneStore(db), createCodesStore(db));
    return statements;
  };
  return {
    send: await record((store, codes) => reserveSend(store, codes, id, phoneOf(id), now)),
    verify: await record((store) => reserveAttempt(store, id, phoneOf(id), now)),
  };
}
