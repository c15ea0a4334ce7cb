/** The store calls of one send and one verify with the sandbox's rules, without the code that decides on them. */
import { loadConfig } from '../dist/config/load.js';
import { planFailures, planSends, readLimits } from '../dist/guard/limits.js';
import { configuredModes } from '../dist/guard/rules.js';

const seed = Buffer.alloc(16);
const digest = Buffer.alloc(32);
/** One for each phone, as the service's digests are. */
const keyOf = (phone) => Buffer.from(phone.padEnd(16, '0').slice(0, 16));
const config = loadConfig({});
const modes = configuredModes(false, config.rules);
const limits = readLimits(config);
const sendLimits = planSends(limits, modes, false);
const failureLimits = planFailures(limits, modes);

export async function reserveSend(store, codes, userId, e164, now) {
  const expiresAt = new Date(now.getTime() + 600_000);
  const { codeNumber, messageNumber } = await store.reserveSend({
    kind: 'verification',
    userId,
    e164,
    phoneKey: keyOf(e164),
    correlationType: 0,
    now,
    limits: sendLimits,
    sources: [],
    establishedBefore: new Date(0),
    isForbidden: false,
    isForbiddenToNewcomers: false,
    leases: null,
    code: { seed, digest, expiresAt, attemptLimit: 5, mayRepeat: true, isResend: false },
  });
  const code = {
    kind: 'verification',
    confirmationId: null,
    userId,
    phoneNumber: { e164, country: 'GB' },
    correlationType: 0,
    codeNumber,
    messageNumber,
    requestedAt: now,
    channels: ['sms'],
    validSeconds: 600,
    phoneKey: keyOf(e164),
    counted: [],
  };
  const dispatch = { outcome: 'accepted', gateway: 'inbox', channel: 'sms', tries: [] };
  await codes.finishSend({ code, text: { locale: 'en', segments: 1 }, dispatch, answeredAt: now });
}

export async function reserveAttempt(store, userId, e164, now) {
  const pendingSince = new Date(now.getTime() - 60_000);
  const attempt = {
    kind: 'verification',
    userId,
    now,
    limits: failureLimits,
    attemptLimit: 5,
    pendingSince,
    sources: [],
    codeKey: undefined,
  };
  const reserved = await store.reserveAttempt(attempt);
  await store.consumeCode(attempt, { codeNumber: 1, e164 }, reserved);
}
