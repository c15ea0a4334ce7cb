/**
 * Attacks, each while honest users are active. A scenario returns: `attempts`; the number of `texts` that were sent and
 * the `price` of one; `guesses` at codes that could have been right; the number of `honest` users, and in `hurt` why some
 * were refused; `takeovers`, which must be zero.
 */
import { changeScenarios } from './changes.js';
import { confirmationScenarios } from './confirmations.js';
import { honestPhone, honestStream } from './honest.js';
import { pumpingScenarios } from './pumping.js';
import { inParallel } from './world.js';

export const scenarios = [
  {
    name: 'guess one phone for a day',
    matters: ['user-failures', 'phone-failures'],
    async run(world, { partOf }) {
      const phone = '+447400123456';
      const id = await world.user();
      let guesses = 0;
      const times = partOf(96, 24);
      for (let time = 0; time < times; time += 1) {
        await world.send(id, phone);
        for (let attempt = 0; attempt < 5; attempt += 1) {
          if ((await world.verify(id, guessed(guesses))) === 400) guesses += 1;
        }
        await world.wait(86_400 / times);
      }
      return { attempts: times * 5, guesses, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
  {
    name: 'guess with resends of the code for a day',
    matters: ['user-sends', 'user-failures', 'phone-failures'],
    async run(world) {
      const phone = '+447400123456';
      const id = await world.user();
      let guesses = 0;
      let texts = 0;
      for (let quarter = 0; quarter < 96; quarter += 1) {
        if ((await world.send(id, phone)) === 204) texts += 1;
        for (let attempt = 0; attempt < 5; attempt += 1) {
          // The same code is sent again with its attempts, so a resend gives no further guess.
          if ((await world.resend(id)) === 204) texts += 1;
          if ((await world.verify(id, guessed(guesses))) === 400) guesses += 1;
        }
        await world.wait(900);
      }
      return { attempts: 96 * 5, texts, price: 0.04, guesses, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'guess with fresh codes, twelve users on one phone',
    matters: ['user-sends', 'phone-sends', 'phone-users', 'user-failures', 'phone-failures'],
    async run(world) {
      const phone = '+447400123456';
      const ids = await world.users(12);
      let guesses = 0;
      let texts = 0;
      let attempts = 0;
      for (let hour = 0; hour < 24; hour += 1) {
        for (const id of ids) {
          for (let attempt = 0; attempt < 5; attempt += 1) {
            attempts += 1;
            const sent = (await world.send(id, phone)) === 204;
            if (sent) texts += 1;
            // A guess can be right only if a code was sent.
            if (sent && (await world.verify(id, guessed(guesses))) === 400) guesses += 1;
          }
        }
        await world.wait(3600);
      }
      return { attempts, texts, price: 0.04, guesses, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'one code against many users',
    matters: ['one-code', 'address-failures'],
    async run(world, { scale, partOf }) {
      const attempts = Math.ceil(10_000 * scale);
      const ids = await world.users(attempts);
      let guesses = 0;
      await inParallel(attempts, 32, async (index) => {
        if ((await world.verify(ids[index], '135790', { address: '203.0.113.66' })) === 400) guesses += 1;
      });
      return { attempts, guesses, ...(await honestStream(world, partOf(50, 10))) };
    },
  },
  ...pumpingScenarios,
  ...changeScenarios,
  {
    name: 'spell one number in many ways',
    matters: ['phone-sends', 'phone-users'],
    async run(world) {
      const ids = await world.users(40);
      const spellings = ['+447400123456', '+4407400123456'];
      let texts = 0;
      for (const [index, id] of ids.entries()) {
        if ((await world.send(id, spellings[index % 2])) === 204) texts += 1;
      }
      return { attempts: ids.length, texts, price: 0.04, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'ask for 300 codes at once',
    matters: ['user-sends', 'phone-sends'],
    async run(world, { partOf }) {
      const id = await world.user();
      let texts = 0;
      await inParallel(300, 96, async () => {
        if ((await world.send(id, '+447400123456')) === 204) texts += 1;
      });
      return { attempts: 300, texts, price: 0.04, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
  {
    name: 'forge forwarding headers',
    matters: ['address-sends'],
    async run(world, { partOf }) {
      const attempts = partOf(300, 100);
      const ids = await world.users(attempts);
      let texts = 0;
      await inParallel(attempts, 16, async (index) => {
        // The proxy appends the real client address; everything before it comes from the attacker.
        const address = `10.${index % 250}.1.1, 192.0.2.${index % 250}, 203.0.113.66`;
        const phone = `+4474${String(index * 100_003).padStart(8, '0')}`;
        if ((await world.send(ids[index], phone, { address })) === 204) texts += 1;
      });
      return { attempts, texts, price: 0.04, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
  {
    name: 'squat on somebody’s number',
    matters: ['phone-sends', 'phone-users'],
    async run(world) {
      const hurt = [];
      const honest = 20;
      for (let index = 0; index < honest; index += 1) {
        const squatter = await world.user();
        const phone = honestPhone(index);
        await world.send(squatter, phone);
        const wrong = await world.honestVisit(phone);
        if (wrong) hurt.push(wrong);
      }
      return { attempts: honest, texts: honest, price: 0.04, honest, hurt };
    },
  },
  {
    name: 'lock a victim out',
    matters: ['phone-sends', 'phone-failures', 'user-failures'],
    async run(world, { partOf }) {
      const hurt = [];
      let attempts = 0;
      const honest = partOf(20, 5);
      for (let index = 0; index < honest; index += 1) {
        const phone = honestPhone(index);
        const [attacker, victim] = [await world.user(), await world.user()];
        const address = world.address();
        for (let call = 0; call < 8; call += 1, attempts += 1) await world.send(attacker, phone);
        const sent = await world.send(victim, phone, { address });
        if (sent !== 204) {
          hurt.push(`send ${sent}`);
          continue;
        }
        const [code] = await world.codes(phone);
        for (let call = 0; call < 25; call += 1, attempts += 1) await world.verify(attacker, guessed(call));
        // The attacker's token may not name the victim.
        await world.verify(victim, '000000', { boundTo: attacker });
        const verified = await world.verify(victim, code, { address });
        if (verified !== 200) hurt.push(`verify ${verified}`);
      }
      return { attempts, honest, hurt };
    },
  },
  ...[2, 20].map((accounts) => ({
    name: `lock an established user out with ${accounts} accounts`,
    matters: ['phone-sends', 'phone-users'],
    async run(world, { partOf }) {
      const hurt = [];
      let attempts = 0;
      const honest = partOf(5, 2);
      for (let index = 0; index < honest; index += 1) {
        const phone = honestPhone(index + 2000);
        const victim = await world.user();
        await world.recordTransaction(victim);
        for (const id of await world.users(accounts)) {
          for (let call = 0; call < 3; call += 1, attempts += 1) await world.send(id, phone);
        }
        const address = world.address();
        const sent = await world.send(victim, phone, { address });
        const verified = sent === 204 ? await world.verify(victim, (await world.codes(phone))[0], { address }) : sent;
        if (verified !== 200) hurt.push(`send ${sent}, verify ${verified}`);
      }
      return { attempts, honest, hurt };
    },
  })),
  {
    name: 'lock a newcomer out with three accounts, proofs on',
    matters: ['challenge', 'phone-users'],
    async run(world, { isOff }) {
      if (!isOff('challenge')) await world.setMode('challenge', 'enforce');
      const hurt = [];
      let texts = 0;
      const honest = 10;
      for (let index = 0; index < honest; index += 1) {
        const phone = honestPhone(index + 3000);
        for (const id of await world.users(3)) if ((await world.send(id, phone)) === 204) texts += 1;
        const wrong = await world.honestVisit(phone);
        if (wrong) hurt.push(wrong);
      }
      return { attempts: 3 * honest, texts, price: 0.04, honest, hurt };
    },
  },
  {
    name: 'bomb a phone with proven texts for a day',
    matters: ['phone-sends', 'phone-users'],
    async run(world) {
      await world.setMode('challenge', 'enforce');
      const attempts = 60;
      let texts = 0;
      let cpuSeconds = 0;
      for (const id of await world.users(attempts)) {
        const sent = await world.sendWithProof(id, '+447400123456', { address: world.address() });
        cpuSeconds += sent.cpuSeconds;
        if (sent.status === 204) texts += 1;
        await world.wait(86_400 / attempts);
      }
      return { attempts, texts, cpuSeconds, price: 0.04, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'resend in a loop for a day',
    matters: ['user-sends', 'phone-sends'],
    async run(world) {
      const id = await world.user();
      let texts = (await world.send(id, '+447400123456')) === 204 ? 1 : 0;
      for (let hour = 0; hour < 24; hour += 1) {
        await inParallel(20, 10, async () => {
          if ((await world.resend(id)) === 204) texts += 1;
        });
        await world.wait(3600);
      }
      return { attempts: 24 * 20 + 1, texts, price: 0.04, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'replay old codes',
    matters: [],
    async run(world, { partOf }) {
      const rounds = partOf(10, 3);
      let takeovers = 0;
      let attempts = 0;
      const tries = async (id, code) => {
        attempts += 1;
        if ((await world.verify(id, code)) === 200) takeovers += 1;
      };
      for (let round = 0; round < rounds; round += 1) {
        const phone = honestPhone(round + 1000);
        const [used, superseded, expired, other] = await world.users(4);
        await world.send(used, phone);
        const [code] = await world.codes(phone);
        await world.verify(used, code);
        await tries(used, code);
        await tries(other, code);
        const second = honestPhone(round + 1100);
        await world.send(superseded, second);
        const [first] = await world.codes(second);
        await world.send(superseded, second);
        if ((await world.codes(second))[0] !== first) await tries(superseded, first);
        const third = honestPhone(round + 1200);
        await world.send(expired, third);
        const [old] = await world.codes(third);
        await world.wait(601);
        await tries(expired, old);
      }
      return { attempts, takeovers, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
  ...confirmationScenarios,
];

/** Rules that no scenario is about, and why. A test requires every rule here or in the `matters` of a scenario. */
export const withoutScenario = {
  country: 'It decides by the country of the number alone: an attacker can only choose another country.',
  'user-phones': 'In every scenario about many phones each phone has another user, which costs the attacker nothing.',
  'token-sends': 'The attackers act through a service, whose token is not bound to a user.',
  'token-failures': 'The attackers act through a service, whose token is not bound to a user.',
};

/** Every guess is another code. */
function guessed(number) {
  return String((number * 7919 + 12_345) % 1_000_000).padStart(6, '0');
}
