/** Attacks on confirmations: on the codes of payments, and on the budget that a person needs to pay. */
import { honestPhone, honestStream } from './honest.js';

const terms = { amount: '24.90', currency: 'EUR', payee: 'Corner Shop' };
const attemptsOfOne = 5;

/** Every guess is another code. */
const guessed = (number) => String((number * 7919 + 54_321) % 1_000_000).padStart(6, '0');

/** Guesses until the confirmation has no attempts left, or the checks are blocked. Returns how many could be right. */
async function guessAt(world, id, confirmationId, first) {
  let guesses = 0;
  for (let attempt = 0; attempt < attemptsOfOne; attempt += 1) {
    const { status } = await world.check(id, confirmationId, { code: guessed(first + guesses), ...terms });
    if (status === 400) guesses += 1;
  }
  return guesses;
}

export const confirmationScenarios = [
  {
    name: 'guess one confirmation',
    matters: [],
    async run(world, { partOf }) {
      const id = await world.verifiedUser(honestPhone(4000));
      const { json } = await world.confirm(id, terms);
      let guesses = 0;
      const attempts = 20;
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { status } = await world.check(id, json.confirmationId, { code: guessed(attempt), ...terms });
        // After the fifth the confirmation has failed: no further guess can be right.
        if (status === 400 && guesses < attemptsOfOne) guesses += 1;
      }
      return { attempts, guesses, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
  {
    name: 'guess over all confirmations that may be open, for a day',
    matters: ['user-confirmations', 'confirmation-failures'],
    async run(world) {
      const id = await world.verifiedUser(honestPhone(4100));
      let guesses = 0;
      let texts = 0;
      let attempts = 0;
      for (let hour = 0; hour < 24; hour += 1) {
        for (let open = 0; open < 12; open += 1) {
          attempts += 1;
          const { status, json } = await world.confirm(id, terms);
          if (status !== 201) continue;
          texts += 1;
          guesses += await guessAt(world, id, json.confirmationId, guesses);
        }
        await world.wait(3600);
      }
      return { attempts, texts, price: 0.04, guesses, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'use up a victim’s confirmations with a stolen user-bound token',
    matters: ['user-confirmations'],
    async run(world, { partOf }) {
      const hurt = [];
      const honest = partOf(10, 4);
      let texts = 0;
      let attempts = 0;
      for (let index = 0; index < honest; index += 1) {
        const phone = honestPhone(index + 4200);
        const victim = await world.verifiedUser(phone);
        for (let call = 0; call < 30; call += 1, attempts += 1) {
          if ((await world.confirm(victim, terms, { boundTo: victim })).status === 201) texts += 1;
        }
        // The victim pays three bills through the back end.
        for (let bill = 0; bill < 3; bill += 1) {
          const { status, json } = await world.confirm(victim, terms);
          const [code] = status === 201 ? await world.codes(phone) : [];
          const checked = code && (await world.check(victim, json.confirmationId, { code, ...terms })).status;
          if (checked !== 200) hurt.push(`confirm ${status}, check ${checked}`);
        }
      }
      return { attempts, texts, price: 0.04, honest: 3 * honest, hurt };
    },
  },
  {
    name: 'pump confirmations to an own verified premium number',
    matters: ['number-type', 'user-confirmations'],
    async run(world, { isOff, partOf }) {
      // The number was verified before the rule was on, or at a wallet that moved here.
      if (!isOff('number-type')) await world.setMode('number-type', 'off');
      const id = await world.verifiedUser('+447012345678');
      if (!isOff('number-type')) await world.setMode('number-type', 'enforce');
      let texts = 0;
      const attempts = partOf(200, 50);
      for (let call = 0; call < attempts; call += 1) {
        if ((await world.confirm(id, terms)).status === 201) texts += 1;
      }
      return { attempts, texts, price: 0.5, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
  {
    name: 'replay an approved confirmation, and check a foreign one',
    matters: [],
    async run(world, { partOf }) {
      const rounds = partOf(10, 3);
      let takeovers = 0;
      let attempts = 0;
      const tries = async (id, confirmationId, body) => {
        attempts += 1;
        if ((await world.check(id, confirmationId, body)).status === 200) takeovers += 1;
      };
      for (let round = 0; round < rounds; round += 1) {
        const [phone, other] = [honestPhone(round + 4400), honestPhone(round + 4500)];
        const [victim, attacker] = [await world.verifiedUser(phone), await world.verifiedUser(other)];
        const { json: approved } = await world.confirm(victim, terms);
        const [code] = await world.codes(phone);
        await tries(attacker, approved.confirmationId, { code, ...terms });
        await world.check(victim, approved.confirmationId, { code, ...terms });
        await tries(victim, approved.confirmationId, { code, ...terms });
        await tries(victim, approved.confirmationId, { code, ...terms, amount: '2490' });
        // A code of the attacker's own payment, and the victim's code for another amount.
        const { json: pending } = await world.confirm(victim, terms);
        const [pendingCode] = await world.codes(phone);
        await world.confirm(attacker, terms);
        const [ownCode] = await world.codes(other);
        if (ownCode !== pendingCode) await tries(victim, pending.confirmationId, { code: ownCode, ...terms });
        await tries(victim, pending.confirmationId, { code: pendingCode, ...terms, amount: '2490' });
        await tries(victim, pending.confirmationId, { code: pendingCode, ...terms });
      }
      return { attempts, takeovers, ...(await honestStream(world, partOf(20, 10))) };
    },
  },
];
