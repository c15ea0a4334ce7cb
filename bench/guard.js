/** The cost of the rules against abuse for a send: all on compared with all off, in alternating runs. */
import { loadRow, measured, ratio } from './harness.js';

const each = 4800;
const rounds = 3;
const connections = 48;
/** Limits so high that nobody is refused. */
const wide = {
  LEDGERLINE_COUNTRIES: '*',
  LEDGERLINE_LIMITS: 'user-sends=100/10m,1000/1d; phone-sends=100/10m,1000/1d',
  LEDGERLINE_RANGES: '4=100000000,5=100000000,6=100000000,7=100000000,country=100000000',
  LEDGERLINE_COUNTRY_SENDS: '*=100000000',
  LEDGERLINE_SPEND: '*=100000000,day=100000000',
  LEDGERLINE_TRUSTED_PROXIES: '127.0.0.0/8',
};

export async function benchGuard(bench) {
  const on = await bench.service({ ...wide, LEDGERLINE_RULES: '*=enforce' });
  const off = await bench.service({ ...wide, LEDGERLINE_RULES: '*=off' });
  let next = 7_000_001;
  await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${next}::int, ${next + each * (2 * rounds + 2)}::int) id`;
  const send = (service) => {
    const ids = Array.from({ length: each }, () => next++);
    return measured(bench, service, {
      paths: ['/User/phone-number/send-code'],
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      // Each caller has an address of its own, as apps have.
      addresses: ids.map((id) => `10.${(id >> 16) & 255}.${(id >> 8) & 255}.${id & 255}`),
      connections,
      requests: 'each',
      bodies: ids.map((id) => JSON.stringify({ id, phoneNumber: `+4479${String(id).padStart(8, '0')}` })),
    });
  };
  await send(on);
  await send(off);
  const results = { on: [], off: [] };
  for (let turn = 0; turn < rounds; turn += 1) {
    results.off.push(await send(off));
    results.on.push(await send(on));
  }
  await on.stop();
  await off.stop();
  for (const result of [...results.on, ...results.off]) {
    if (Object.keys(result.statuses).join() !== '204')
      throw new Error(`send-code answered ${JSON.stringify(result.statuses)}`);
  }
  const best = (list) => list.toSorted((a, b) => b.perSecond - a.perSecond)[0];
  return {
    title: 'Send with the rules against abuse',
    rows: [loadRow('all rules off', best(results.off)), loadRow('all rules on', best(results.on))],
    goals: [
      {
        what: 'send with all rules on beside all off',
        is: ratio(best(results.on).perSecond, best(results.off).perSecond),
        least: 0.8,
      },
    ],
  };
}
