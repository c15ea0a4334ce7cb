/** Honest users, who verify their phones beside an attack. */
import { inParallel } from './world.js';

/** Phone numbers of honest users, spread over many ranges. (Ranges below 60 belong to the Isle of Man.) */
export const honestPhone = (index) =>
  `+4474${String(60 + ((index * 7919) % 40))}${String((index * 104_729) % 1_000_000).padStart(6, '0')}`;

export async function honestStream(world, count, atOnce = 4) {
  const hurt = [];
  await inParallel(count, atOnce, async (index) => {
    const wrong = await world.honestVisit(honestPhone(index));
    if (wrong) hurt.push(wrong);
  });
  return { honest: count, hurt };
}

/** Honest users have other phones in every hour. */
export function offset(world, start) {
  return {
    honestVisit: (phone) =>
      world.honestVisit(
        `${phone.slice(0, 7)}${String((Number(phone.slice(7)) + start * 31) % 1_000_000).padStart(6, '0')}`,
      ),
  };
}
