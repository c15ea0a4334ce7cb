/** A send that fails while it is judged: the next sends do not wait for it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceClock } from '../../src/values/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { createChallenges } from '../../src/guard/challenge.ts';
import { DecisionLog } from '../../src/guard/decisions.ts';
import { createSendJudge } from '../../src/codes/send-judge.ts';
import { createGuardStore } from '../../src/guard/guard.store.ts';
import { LeaseBook } from '../../src/guard/leases.ts';
import { readLimits } from '../../src/guard/limits.ts';
import { createLiveGuard } from '../../src/guard/live.ts';
import { RangeBook } from '../../src/guard/ranges/range-book.ts';
import { configuredModes } from '../../src/guard/rules.ts';
import { createDigest } from '../../src/guard/source.ts';
import { createPhoneStore } from '../../src/phone/phone.store.ts';
import { createReserveSend } from '../../src/phone/reserve-send.ts';
import { parsePhoneNumber } from '../../src/values/phone-number.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';

const settings = { LEDGERLINE_RULES: '*=enforce', LEDGERLINE_COUNTRIES: '*' };

let service: Service;
let db: Database;
beforeAll(async () => {
  service = await startService(settings);
  db = await openDetected({ url: service.databaseUrl, connections: 3, statementSeconds: 5 });
});
afterAll(async () => {
  await db.close();
  await service.stop();
});

/** The ranges of the service; the next number cannot be judged. */
class FailingRanges extends RangeBook {
  fails = true;

  override judge(...parameters: Parameters<RangeBook['judge']>) {
    if (!this.fails) return super.judge(...parameters);
    this.fails = false;
    throw new Error('the range cannot be judged');
  }
}

it('a send whose range cannot be judged fails, and the next one is reserved', async () => {
  const config = loadConfig(settings);
  const store = createGuardStore(db);
  const digest = createDigest(Buffer.alloc(32, 7));
  const limits = readLimits(config);
  const clock = new ServiceClock();
  const modes = configuredModes(false, config.rules);
  const ranges = new FailingRanges(limits.ranges, 1, { exchange: store.exchangeRanges, readWeeks: store.readWeeks });
  const live = createLiveGuard(store.readState, limits, modes, digest);
  const reserveSend = createReserveSend({
    store: createPhoneStore(db),
    live,
    judge: createSendJudge({
      live,
      leases: new LeaseBook(),
      decisions: new DecisionLog(
        async () => {},
        async () => {},
      ),
      digest,
      clock,
      observe: () => {},
    }),
    ranges,
    challenges: createChallenges({
      keys: { current: Buffer.alloc(32), all: [] },
      attestationKeys: [],
      work: 16,
      digest,
    }),
    readConversion: store.readConversion,
    digest,
    clock,
    observe: () => {},
  });
  const send = async () =>
    reserveSend({
      kind: 'verification',
      userId: await service.createUser(),
      phoneNumber: parsePhoneNumber(newPhone())!,
      channel: 'sms',
      segments: 1,
      correlationType: 0,
      origin: { client: 'back-end', subject: 'back-end', bound: false, address: undefined, traceId: 'test' },
      proof: {},
      confirmation: undefined,
      makeCode: (now) => ({
        seed: Buffer.alloc(16),
        digest: Buffer.alloc(32),
        expiresAt: new Date(now.getTime() + 600_000),
        attemptLimit: 5,
        mayRepeat: false,
        isResend: false,
      }),
    });
  await expect(send()).rejects.toThrow('the range cannot be judged');
  expect(await send()).toMatchObject({ codeNumber: 1, messageNumber: 1 });
});
