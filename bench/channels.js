/** Sends where only texts are allowed beside sends where calls may follow them, in turn. */
import { loadRow, measured, ratio } from './harness.js';

const connections = 48;
const each = 4800;
const rounds = 4;
const phoneOf = (id) => `+4479${String(id).padStart(8, '0')}`;

export async function benchChannels(bench, { quick }) {
  const sides = {
    texts: await bench.service(),
    channels: await bench.service({ LEDGERLINE_CHANNELS: '*=sms,voice', LEDGERLINE_CHANNEL_SECONDS: '30' }),
  };
  const count = quick ? 1000 : each;
  let next = 1_000_001;
  async function send(service) {
    const first = next;
    next += count;
    await bench.sql`
      insert into users (id, created_at) select id, now() from generate_series(${first}::int, ${next - 1}::int) id`;
    const bodies = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ id: first + index, phoneNumber: phoneOf(first + index) }),
    );
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const paths = ['/User/phone-number/send-code'];
    const figures = await measured(bench, service, { paths, headers, connections, requests: 'each', bodies });
    if (Object.keys(figures.statuses).join() !== '204') {
      throw new Error(`send-code answered ${JSON.stringify(figures.statuses)}`);
    }
    return figures;
  }
  const measuredSides = { texts: [], channels: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, service] of Object.entries(sides)) {
      const figures = await send(service);
      // The first round is for the compiler.
      if (round > 0) measuredSides[name].push(figures);
    }
  }
  for (const service of Object.values(sides)) await service.stop();
  const [texts, channels] = Object.values(measuredSides).map(
    (all) => all.sort((a, b) => cost(a) - cost(b))[rounds / 2],
  );
  return {
    title: 'Send where only texts are allowed, and where calls may follow them',
    rows: [loadRow('only texts', texts), loadRow('texts, then calls', channels)],
    notes: [
      'With texts only, a send runs the statements that it ran before there were channels: test/phone/sms-only.test.ts.',
    ],
    goals: [
      {
        what: 'processor time of a send with texts only beside one with channels',
        is: ratio(cost(texts), cost(channels)),
        most: 1.02,
      },
    ],
  };
}

function cost({ nodeMicroseconds, postgresMicroseconds }) {
  return nodeMicroseconds + postgresMicroseconds;
}
