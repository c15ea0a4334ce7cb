/** Wires the guard: its rules, its counters, and the jobs that keep both current. */
import { createChallenges } from '../guard/challenge.ts';
import { DecisionLog } from '../guard/decisions.ts';
import { createAttemptJudge } from '../codes/attempt-judge.ts';
import { createSendJudge } from '../codes/send-judge.ts';
import { createDecisionsStore } from '../guard/decisions.store.ts';
import { createGuardControl } from '../guard/control/guard-control.ts';
import { createGuardControlStore } from '../guard/control/guard-control.store.ts';
import { createGuardStore } from '../guard/guard.store.ts';
import { createFiredRules } from '../guard/fired-rules.ts';
import { idleLeaseMilliseconds, LeaseBook } from '../guard/leases.ts';
import { RangeBook } from '../guard/ranges/range-book.ts';
import { readLimits } from '../guard/limits.ts';
import { createLiveGuard } from '../guard/live.ts';
import { configuredModes } from '../guard/rules.ts';
import { createDigest } from '../guard/source.ts';
import { createSweeper } from '../guard/sweeper.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { PhoneStore } from '../phone/phone.store.ts';
import { createReserveSend } from '../phone/reserve-send.ts';
import type { Core } from './core.ts';
import { reportFailure } from './report-work.ts';

export type OpenGuard = Awaited<ReturnType<typeof openGuard>>;

export async function openGuard(core: Core, phones: PhoneStore, observe: Observe) {
  const { config, db, clock, jobs, releasers, siblings, traced } = core;
  const failed = (job: string) => reportFailure(observe, job);
  const store = traced('guard', createGuardStore(db));
  const digest = createDigest(core.guardKey);
  const configured = configuredModes(config.mode === 'production', config.rules);
  const limits = readLimits(config);
  const live = createLiveGuard(store.readState, limits, configured, digest);
  const firedRules = createFiredRules({
    write: store.writeFiredRule,
    onError: failed('guard-events'),
  });
  const { writeDecisions } = traced('guard', createDecisionsStore(db));
  const decisions = new DecisionLog(writeDecisions, firedRules.writeEvent);
  const sweep = createSweeper(store, limits, clock);
  const leases = new LeaseBook();
  const ranges = new RangeBook(limits.ranges, limits.processes ?? 1, {
    exchange: store.exchangeRanges,
    readWeeks: store.readWeeks,
  });
  await live.refresh();
  releasers.add(() => decisions.flush().catch(failed('guard-decisions')));
  releasers.add(() => ranges.exchange(clock.now()).catch(failed('guard-ranges')));
  const giveBackUnused = async (idleMilliseconds: number) => {
    const unused = leases.takeUnused(clock.now(), idleMilliseconds);
    if (unused.length > 0) await store.giveBackBudgets(unused);
  };
  releasers.add(() => giveBackUnused(0).catch(failed('guard-budgets')));
  siblings.onNotified('guard', () => live.refresh());
  const refreshEverywhere = async () => {
    await live.refresh();
    await siblings.notify('guard');
  };
  jobs.start({
    'guard-state': () => live.refresh(),
    'guard-decisions': () => decisions.flush(),
    'guard-ranges': () => ranges.exchange(clock.now()),
    'guard-budgets': async () => {
      await giveBackUnused(idleLeaseMilliseconds);
      observe({ kind: 'budgets', used: await store.readBudgets(clock.now().toISOString().slice(0, 10)) });
    },
    'guard-sweep': sweep,
  });
  const sendJudge = createSendJudge({ live, leases, decisions, digest, clock, observe });
  return {
    live,
    judgeAttempt: createAttemptJudge({ live, decisions, digest, observe }),
    digest,
    ranges,
    control: createGuardControl({
      store: traced('guard', createGuardControlStore(db)),
      configured,
      digest,
      clock,
      observe,
      live: { refresh: refreshEverywhere, forgetRange: (name) => ranges.forgetRange(name) },
    }),
    sendJudge,
    reserveSend: createReserveSend({
      store: phones,
      live,
      judge: sendJudge,
      ranges,
      challenges: createChallenges({
        keys: core.deriveKeys('challenges'),
        attestationKeys: config.attestationKeys ?? [],
        work: config.challengeWork,
        digest,
      }),
      readConversion: store.readConversion,
      digest,
      clock,
      observe,
    }),
    async forget() {
      leases.forget();
      ranges.forget();
      firedRules.forget();
      await live.refresh();
    },
  };
}
