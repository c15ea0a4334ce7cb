/** The calls of one send and one verify on the store, as the rules make them, without the rules. */
const digest = Buffer.alloc(32);
const limits = { user: [{ count: 100, seconds: 600 }], phone: [] };
const failures = [{ count: 10, seconds: 3600, blockSeconds: 3600 }];
const attempts = 5;

export async function reserveSend(store, userId, phone, now) {
  const reserved = await store.reserveSend(userId, phone, 0, now, limits);
  const expiresAt = new Date(now.getTime() + 600_000);
  await store.acceptCode({ userId, number: reserved.issued, phone, digest, issuedAt: now, expiresAt });
}

export async function reserveAttempt(store, userId, now) {
  const reserved = await store.reserveAttempt(userId, now, failures, attempts);
  await store.consumeCode(userId, reserved.number, now);
}
