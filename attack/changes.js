/** Attacks on the change of a number. */
import { honestPhone, honestStream } from './honest.js';

/** A verified user, and the number. */
async function victimOf(world, index) {
  const phone = honestPhone(index);
  const id = await world.user();
  const address = world.address();
  await world.send(id, phone, { address });
  await world.verify(id, (await world.codes(phone))[0], { address });
  return { id, phone };
}

const attackersPhone = (index) => `+4474${String(40_000_000 + index * 104_729)}`;

async function isMoved(world, { id, phone }) {
  return (await world.phoneOf(id)) !== phone;
}

export const changeScenarios = [
  {
    name: 'change the number with a stolen token',
    matters: [],
    async run(world) {
      let [attempts, takeovers] = [0, 0];
      for (let index = 0; index < 20; index += 1) {
        const victim = await victimOf(world, 4000 + index);
        const stolen = { boundTo: victim.id };
        const created = await world.post(`/User/${victim.id}/confirmations`, { purpose: 'change-phone' }, stolen);
        const { confirmationId } = created.json;
        // The check belongs to the back end, so the token cannot approve what it asked for.
        await world.post(`/User/${victim.id}/confirmations/${confirmationId}/check`, { code: '000000' }, stolen);
        for (const given of [undefined, confirmationId, '018f0000-0000-7000-8000-000000000000']) {
          attempts += 1;
          const asked = await world.change(victim.id, attackersPhone(index), { ...stolen, confirmationId: given });
          const [code] = asked === 204 ? await world.codes(attackersPhone(index)) : ['000000'];
          await world.verifyChange(victim.id, code, stolen);
        }
        if (await isMoved(world, victim)) takeovers += 1;
      }
      return { attempts, takeovers, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'guess the confirmation of a change for a day',
    matters: ['user-confirmations', 'confirmation-failures'],
    async run(world) {
      const victim = await victimOf(world, 4100);
      const stolen = { boundTo: victim.id };
      let [guesses, texts, attempts] = [0, 0, 0];
      for (let quarter = 0; quarter < 96; quarter += 1) {
        const created = await world.post(`/User/${victim.id}/confirmations`, { purpose: 'change-phone' }, stolen);
        if (created.status === 201) texts += 1;
        const confirmationId = created.json?.confirmationId;
        for (let attempt = 0; confirmationId !== undefined && attempt < 5; attempt += 1) {
          attempts += 1;
          // Through the app's own form, whose back end checks.
          const path = `/User/${victim.id}/confirmations/${confirmationId}/check`;
          const checked = await world.post(path, {
            code: String(guesses * 7919 + 1)
              .padStart(6, '0')
              .slice(-6),
          });
          if (checked.status === 400) guesses += 1;
        }
        await world.wait(900);
      }
      return { attempts, texts, price: 0.04, guesses, ...(await honestStream(world, 20)) };
    },
  },
  {
    name: 'squat on somebody’s number by changing to it',
    matters: ['phone-sends', 'phone-users'],
    async run(world) {
      const hurt = [];
      const honest = 20;
      let texts = 0;
      for (let index = 0; index < honest; index += 1) {
        const squatter = await victimOf(world, 4200 + index);
        const wanted = honestPhone(4300 + index);
        if ((await world.change(squatter.id, wanted)) === 204) texts += 1;
        const wrong = await world.honestVisit(wanted);
        if (wrong) hurt.push(wrong);
      }
      return { attempts: honest, texts, price: 0.04, honest, hurt };
    },
  },
];
