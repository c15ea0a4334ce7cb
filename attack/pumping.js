/** Texts to numbers that pay the attacker; and the honest crowd that must not be taken for one. */
import { honestStream, offset } from './honest.js';
import { inParallel } from './world.js';

/** Sends to the phones that `phoneOf` names, by many users from many addresses, over some hours. */
async function pump(world, { attempts, users, hours, honest, phoneOf, channelOf = () => undefined }) {
  const pumpers = await world.users(users);
  let texts = 0;
  const people = { honest: 0, hurt: [] };
  for (let hour = 0; hour < hours; hour += 1) {
    const share = Math.ceil(attempts / hours);
    const crowd = async () => {
      const seen = await honestStream(offset(world, hour * honest), Math.ceil(honest / hours));
      people.honest += seen.honest;
      people.hurt.push(...seen.hurt);
    };
    const attack = inParallel(share, 48, async (index) => {
      const number = hour * share + index;
      const address = `198.${18 + ((number >> 16) & 1)}.${(number >> 8) & 255}.${number & 255}`;
      const channel = channelOf(number);
      if ((await world.send(pumpers[number % users], phoneOf(number), { address, channel })) === 204) texts += 1;
    });
    await Promise.all([attack, crowd()]);
    await world.wait(3600);
  }
  return { attempts, texts, ...people };
}

const thinPump = (scale) => ({
  attempts: Math.ceil(30_000 * scale),
  users: Math.ceil(10_000 * scale),
  hours: 1,
  honest: 100,
  phoneOf: (number) => `+4474${String((number * 7919) % 50_000_000).padStart(8, '0')}`,
});

export const pumpingScenarios = [
  {
    name: 'pump a premium range',
    matters: ['number-type', 'prefix', 'spend', 'country-sends'],
    async run(world, { scale }) {
      const result = await pump(world, {
        attempts: Math.ceil(100_000 * scale),
        users: Math.ceil(20_000 * scale),
        hours: 2,
        honest: Math.max(40, Math.ceil(1000 * scale)),
        phoneOf: (number) => `+44909879${String(number % 10_000).padStart(4, '0')}`,
      });
      return { ...result, price: 0.45 };
    },
  },
  {
    name: 'pump 100 prefixes of an allowed country',
    matters: ['prefix', 'user-sends', 'country-sends', 'spend'],
    async run(world, { scale }) {
      const prefixes = Math.max(3, Math.ceil(100 * scale));
      const result = await pump(world, {
        attempts: prefixes * Math.min(1000, Math.ceil(100_000 * scale)),
        users: Math.ceil(20_000 * scale),
        hours: 4,
        honest: Math.max(40, Math.ceil(1000 * scale)),
        phoneOf: (number) =>
          `+447400${String(number % prefixes).padStart(2, '0')}${String(Math.floor(number / prefixes) % 10_000).padStart(4, '0')}`,
      });
      return { ...result, price: 0.04 };
    },
  },
  {
    name: 'pump thinly over thousands of prefixes',
    matters: ['country-sends', 'spend', 'address-sends'],
    async run(world, { scale }) {
      // Twelve verified codes in each range of the honest users, whose ranges are proven by ten.
      const before = await honestStream(offset(world, 9000), 480, 16);
      const result = await pump(world, thinPump(scale));
      return { ...result, hurt: [...before.hurt, ...result.hurt], price: 0.04 };
    },
  },
  {
    name: 'pump a new installation thinly, proofs on',
    matters: ['country-sends', 'spend', 'address-sends'],
    async run(world, { scale }) {
      await world.setMode('challenge', 'enforce');
      return { ...(await pump(world, thinPump(scale))), price: 0.04 };
    },
  },
  {
    name: 'pump calls to a premium range',
    matters: ['number-type', 'prefix', 'spend', 'country-sends'],
    async run(world, { scale }) {
      const result = await pump(world, {
        attempts: Math.ceil(30_000 * scale),
        users: Math.ceil(10_000 * scale),
        hours: 1,
        honest: 100,
        phoneOf: (number) => `+44909879${String(number % 10_000).padStart(4, '0')}`,
        channelOf: () => 'voice',
      });
      return { ...result, price: 0.45 };
    },
  },
  ...[
    ['by calls', ['voice'], 0.1],
    ['by WhatsApp', ['whatsapp'], 0.03],
    ['over all channels in turn', ['sms', 'whatsapp', 'voice'], 0.06],
  ].map(([words, channels, price]) => ({
    name: `pump thinly ${words}`,
    matters: ['prefix', 'country-sends', 'spend'],
    async run(world, { scale }) {
      // What honest texts have proven says nothing about calls.
      const before = await honestStream(offset(world, 9000), 480, 16);
      const channelOf = (number) => channels[number % channels.length];
      const result = await pump(world, { ...thinPump(scale), channelOf });
      return { ...result, hurt: [...before.hurt, ...result.hurt], price };
    },
  })),
  ...[10, 25, 50].map((percent) => ({
    name: `pump and verify ${percent} % of the codes`,
    matters: ['prefix', 'country-sends', 'spend'],
    async run(world, { scale }) {
      const attempts = Math.ceil(30_000 * scale);
      const ids = await world.users(Math.ceil(attempts / 2));
      let texts = 0;
      const people = await honestStream(world, 100);
      await inParallel(attempts, 48, async (index) => {
        const address = `198.18.${(index >> 8) & 255}.${index & 255}`;
        const phone = `+447400${String(index % 100).padStart(2, '0')}${String(Math.floor(index / 100)).padStart(4, '0')}`;
        const id = ids[index % ids.length];
        if ((await world.send(id, phone, { address })) !== 204) return;
        texts += 1;
        if ((index * 7919) % 100 < percent) await world.verify(id, (await world.codes(phone))[0], { address });
      });
      return { attempts, texts, price: 0.04, ...people };
    },
  })),
  {
    name: 'solve proofs and pump one prefix',
    matters: ['prefix'],
    async run(world, { scale }) {
      await world.setMode('challenge', 'enforce');
      const attempts = Math.max(60, Math.ceil(3000 * scale));
      const ids = await world.users(attempts);
      let texts = 0;
      let cpuSeconds = 0;
      const people = await honestStream(world, 20);
      await inParallel(attempts, 8, async (index) => {
        const phone = `+44740012${String(index).padStart(4, '0')}`;
        const options = { address: `198.18.${(index >> 8) & 255}.${index & 255}` };
        const first = await world.sendWithProof(ids[index], phone, options);
        cpuSeconds += first.cpuSeconds;
        if (first.status === 204) texts += 1;
      });
      return { attempts, texts, cpuSeconds, price: 0.04, ...people };
    },
  },
  {
    name: 'flash crowd of honest users',
    matters: ['prefix'],
    async run(world, { scale }) {
      const usual = await honestStream(world, Math.max(10, Math.ceil(50 * scale)));
      await world.wait(3600);
      const crowd = await honestStream(offset(world, 5000), Math.max(50, Math.ceil(1000 * scale)), 16);
      return { attempts: 0, honest: usual.honest + crowd.honest, hurt: [...usual.hurt, ...crowd.hurt] };
    },
  },
];
