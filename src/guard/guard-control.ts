/** What an operator sees of the guard, and may change: modes, blocks, the safe list, decisions, and the audit. */
import { secondsAfter, type Clock } from '../clock.ts';
import { invalidFields, unknownBlock, unknownSafeEntry } from '../errors.ts';
import type { Observe } from '../observe.ts';
import type { OperatorActionName } from '../operator-actions.ts';
import type { Owner } from '../slots.ts';
import { ruleNames, ruleOf, type Modes, type RuleMode, type RuleName } from './rules.ts';
import { safeNumberKey, type LiveGuard } from './live.ts';
import type { RangeBook } from './range-book.ts';
import { networkOf, type Digest } from './source.ts';
import type { ActionFilter, Block, DecisionFilter, GuardControlStore, LiftTarget } from './guard-control.store.ts';
import type { Operator, OperatorAction, SafeEntry } from './guard-control.store.ts';
import { maskPhone, type PhoneNumber } from '../phone/phone-number.ts';

export interface RuleState {
  rule: RuleName;
  about: string;
  mode: RuleMode;
  configuredMode: RuleMode;
  changedAt: Date | null;
  changedBy: string | null;
  /** Decisions of the last 24 hours. */
  refused: number;
  shadow: number;
}

export interface Lift {
  block: string | undefined;
  userId: number | undefined;
  phone: PhoneNumber | undefined;
  address: string | undefined;
}

export type SafeInput = { phone: PhoneNumber } | { prefix: string };

export type GuardControl = ReturnType<typeof createGuardControl>;

export const blockLimit = 500;
const safeEntryLimit = 1000;
const daySeconds = 86_400;
/** Actions that are read at once for an export, and in all. */
const exportPage = 500;
const exportLimit = 100_000;

/** Whom an operator looked at or searched for. */
export type Whom = { userId: number } | { phone: string } | { email: string };

export interface GuardControlParts {
  store: GuardControlStore;
  configured: Modes;
  digest: Digest;
  clock: Clock;
  observe: Observe;
  /** Absent where no service runs in this process. */
  live?: Pick<LiveGuard, 'refresh'> & Pick<RangeBook, 'forgetRange'>;
}

export function createGuardControl({ store, configured, digest, clock, observe, live }: GuardControlParts) {
  async function done(who: Operator, action: OperatorActionName, target: string): Promise<void> {
    observe({ kind: 'operator-action', subject: who.subject, action, target });
    await live?.refresh();
  }

  return {
    async rules(owner?: Owner): Promise<RuleState[]> {
      const [changed, totals] = await Promise.all([
        store.readModes(owner),
        store.readTotals(secondsAfter(clock.now(), -daySeconds), owner),
      ]);
      const decided = (rule: RuleName, action: string) =>
        totals.find((total) => total.rule === rule && total.action === action)?.decisions ?? 0;
      return ruleNames.map((rule) => {
        const change = changed.find((one) => one.rule === rule);
        return {
          rule,
          about: ruleOf(rule).sentence,
          mode: change?.mode ?? configured[rule],
          configuredMode: configured[rule],
          changedAt: change?.changedAt ?? null,
          changedBy: change?.changedBy ?? null,
          refused: decided(rule, 'refused'),
          shadow: decided(rule, 'shadow'),
        };
      });
    },

    /** An act that changes nothing but has to be told: who looked at whom. */
    async noteLook(who: Operator, action: OperatorActionName, whom: Whom): Promise<void> {
      const userId = 'userId' in whom ? whom.userId : undefined;
      const target = targetOf(whom);
      await store.recordAction(who, action, target, userId, clock.now());
      observe({ kind: 'operator-action', subject: who.subject, action, target });
    },

    async setMode(who: Operator, rule: RuleName, mode: RuleMode | undefined): Promise<void> {
      await store.setMode(rule, mode, who, clock.now());
      await done(who, 'set-mode', `${rule} ${mode ?? 'configured'}`);
    },

    blocks: (owner?: Owner): Promise<Block[]> => store.listBlocks(clock.now(), blockLimit, owner),

    async lift(who: Operator, what: Lift): Promise<number> {
      const target = liftTarget(what, digest);
      const lifted = await store.lift(target, who, clock.now());
      if (lifted === 0) throw unknownBlock();
      if ('prefix' in target) live?.forgetRange(target.prefix);
      await done(who, 'lift', Object.keys(target)[0]!);
      return lifted;
    },

    safeList: (owner?: Owner): Promise<SafeEntry[]> => store.listSafe(owner),

    async addSafe(who: Operator, input: SafeInput): Promise<void> {
      const entry =
        'prefix' in input
          ? { key: input.prefix, label: input.prefix, isPrefix: true }
          : { key: safeNumberKey(digest, input.phone.key), label: maskPhone(input.phone.key), isPrefix: false };
      if (!(await store.addSafe(entry, safeEntryLimit, who, clock.now()))) {
        throw invalidFields({ PhoneNumber: [`The safe list holds at most ${safeEntryLimit} entries.`] });
      }
      await done(who, 'add-safe', entry.label);
    },

    async removeSafe(who: Operator, id: string): Promise<void> {
      if (!(await store.removeSafe(id, who, clock.now()))) throw unknownSafeEntry();
      await done(who, 'remove-safe', id);
    },

    decisions: (filter: DecisionFilter, owner?: Owner) => store.readDecisions(filter, owner),
    actions: (filter: ActionFilter, owner?: Owner) => store.readActions(filter, owner),

    /** All actions that match, newest first, in lists of at most a page. */
    async *exportActions(
      filter: Omit<ActionFilter, 'before' | 'limit'>,
      owner: Owner,
    ): AsyncGenerator<OperatorAction[], void> {
      let before: number | undefined;
      for (let count = 0; count < exportLimit; count += exportPage) {
        const page = await store.readActions({ ...filter, before, limit: exportPage }, owner);
        if (page.length > 0) yield page;
        if (page.length < exportPage) return;
        before = page.at(-1)!.id;
      }
    },
  };
}

/** As the audit shows it. */
function targetOf(whom: Whom): string {
  if ('userId' in whom) return `user ${whom.userId}`;
  return 'phone' in whom ? maskPhone(whom.phone) : maskEmail(whom.email);
}

/** `a…@….com` */
function maskEmail(email: string): string {
  const [local = '', host = ''] = email.split('@', 2);
  const dot = host.lastIndexOf('.');
  return `${local.slice(0, 1)}…@…${dot < 0 ? '' : host.slice(dot)}`;
}

function liftTarget({ block, userId, phone, address }: Lift, digest: Digest): LiftTarget {
  if (userId !== undefined) return { userId };
  if (phone) return { phone: digest('phone', phone.key), label: maskPhone(phone.key) };
  if (address !== undefined) {
    const network = networkOf(address);
    return { source: digest('address', network), label: `address ${network}` };
  }
  const [, kind, name = ''] = /^(user|phone|address|token|code|prefix):(.+)$/.exec(block ?? '') ?? [];
  const id = /^\d{1,10}$/.test(name) ? Number(name) : 0;
  const key = /^[0-9a-f]{32}$/.test(name) ? Buffer.from(name, 'hex') : undefined;
  if (kind === 'user' && id > 0 && id <= 2_147_483_647) return { userId: id };
  if (kind === 'prefix') return { prefix: name };
  if (kind === 'phone' && key) return { blockedPhone: key };
  if (kind === 'code' && key) return { code: key };
  if (key) return { source: key, label: `${kind} ${name.slice(0, 8)}` };
  throw unknownBlock();
}
