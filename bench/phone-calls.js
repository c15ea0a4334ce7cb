/** The store calls of one send and one verify with the sandbox's rules, without the code that decides on them. */
import { loadConfig } from '../dist/config/load.js';
import { configuredModes, planFailures, planSends } from '../dist/guard/rules.js';

const digest = Buffer.alloc(32);
const config = loadConfig({});
const modes = configuredModes(false, config.rules);
const limits = { ...config, countries: [], prefix: config.prefixSends };
const sends = planSends(limits, modes, false);
const plan = planFailures(limits, modes);
const source = { address: undefined, token: undefined };

export async function reserveSend(store, userId, phone, now) {
  const { issued: number } = await store.reserveSend({
    userId,
    phone,
    correlationType: 0,
    now,
    plan: sends,
    source,
    forbidden: false,
    leases: { prefix: undefined, budgets: [] },
    prefix: undefined,
    enforces: () => false,
  });
  const expiresAt = new Date(now.getTime() + 600_000);
  await store.acceptCode(
    { userId, number, phone, digest, issuedAt: now, expiresAt },
    {
      userId,
      number,
      phone: '+44…42',
      country: 'GB',
      correlationType: 0,
      locale: 'en',
      segments: 1,
      gateway: 'inbox',
      gatewayId: null,
      reason: null,
      tries: null,
      requestedAt: now,
      answeredAt: now,
      expiresAt,
    },
  );
}

export async function reserveAttempt(store, userId, phone, now) {
  const attempt = { userId, now, plan, attempts: 5, source, code: undefined };
  const { code } = await store.reserveAttempt(attempt);
  await store.consumeCode(attempt, { number: code.number, phone }, undefined);
}
