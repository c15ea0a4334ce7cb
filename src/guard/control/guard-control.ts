/**
 * What operators see and change in the guard: the modes of the rules, the blocks in force, and the safe list of numbers
 * that the rules about destinations do not check. `reserve_attempt` in src/db/functions/ makes blocks and refuses by them.
 */
import { invalidFields, unknownBlock, unknownSafeEntry } from '../../errors.ts';
import type { Operator, OperatorActionName } from '../../audit/operator-actions.ts';
import type { Observe } from '../../monitoring/observe.ts';
import type { Owner } from '../../sharing/slots.ts';
import { daySeconds, secondsAfter, type Clock } from '../../values/clock.ts';
import { parseId } from '../../values/id.ts';
import { networkOf } from '../../values/network.ts';
import { maskPhone, type PhoneNumber } from '../../values/phone-number.ts';
import { safeNumberKey, type LiveGuard } from '../live.ts';
import type { RangeBook } from '../ranges/range-book.ts';
import { ruleNames, ruleOf, type Modes, type RuleMode, type RuleName } from '../rules.ts';
import type { Digest } from '../source.ts';
import type { Block, Lifted, LiftTarget } from './blocks.store.ts';
import type { GuardControlStore, SafeEntry } from './guard-control.store.ts';

export interface GuardControlParts {
  store: GuardControlStore;
  configured: Modes;
  digest: Digest;
  clock: Clock;
  observe: Observe;
  /** Absent if no service runs in this process. */
  live?: Pick<LiveGuard, 'refresh'> & Pick<RangeBook, 'forgetRange'>;
}

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

/** What to lift: exactly one of these is given. */
export interface Lift {
  /** The id of a listed block. */
  block: string | undefined;
  userId: number | undefined;
  phoneNumber: PhoneNumber | undefined;
  address: string | undefined;
}

/** Maximum number of listed blocks. Those that end last are listed. */
export const blockLimit = 500;
const safeEntryLimit = 1000;

export type GuardControl = ReturnType<typeof createGuardControl>;

export function createGuardControl({ store, configured, digest, clock, observe, live }: GuardControlParts) {
  /** After a change, every process reads the new state. */
  async function announce({ subject }: Operator, action: OperatorActionName, target: string): Promise<void> {
    observe({ kind: 'operator-action', subject, action, target });
    await live?.refresh();
  }

  return {
    async rules(owner?: Owner): Promise<RuleState[]> {
      const [changes, totals] = await Promise.all([
        store.readModes(owner),
        store.readTotals(secondsAfter(clock.now(), -daySeconds), owner),
      ]);
      const countDecisions = (rule: RuleName, action: string) =>
        totals.find((total) => total.rule === rule && total.action === action)?.decisions ?? 0;
      return ruleNames.map((rule) => {
        const change = changes.find((each) => each.rule === rule);
        return {
          rule,
          about: ruleOf(rule).sentence,
          mode: change?.mode ?? configured[rule],
          configuredMode: configured[rule],
          changedAt: change?.changedAt ?? null,
          changedBy: change?.changedBy ?? null,
          refused: countDecisions(rule, 'refused'),
          shadow: countDecisions(rule, 'shadow'),
        };
      });
    },

    /** Without a mode, the rule returns to its configured mode. */
    async setMode(who: Operator, rule: RuleName, mode: RuleMode | undefined): Promise<void> {
      await store.setMode(rule, mode, who, clock.now());
      await announce(who, 'set-mode', `${rule} ${mode ?? 'configured'}`);
    },

    blocks: (owner?: Owner): Promise<Block[]> => store.listBlocks(clock.now(), blockLimit, owner),

    async lift(who: Operator, what: Lift): Promise<Lifted> {
      const target = liftTargetOf(what, digest);
      const result = await store.liftBlock(target, who, clock.now());
      if (result.lifted === 0) throw unknownBlock();
      if ('prefix' in target) live?.forgetRange(target.prefix);
      await announce(who, 'lift', Object.keys(target)[0]!);
      return result;
    },

    safeList: (owner?: Owner): Promise<SafeEntry[]> => store.listSafe(owner),

    async addSafe(who: Operator, input: { phoneNumber: PhoneNumber } | { prefix: string }): Promise<void> {
      const entry =
        'prefix' in input
          ? { key: input.prefix, label: input.prefix, isPrefix: true }
          : {
              key: safeNumberKey(digest, input.phoneNumber.e164),
              label: maskPhone(input.phoneNumber.e164),
              isPrefix: false,
            };
      if (!(await store.addSafe(entry, safeEntryLimit, who, clock.now()))) {
        const field = entry.isPrefix ? 'Prefix' : 'PhoneNumber';
        throw invalidFields({ [field]: [`The safe list holds at most ${safeEntryLimit} entries.`] });
      }
      await announce(who, 'add-safe', entry.label);
    },

    async removeSafe(who: Operator, id: string): Promise<void> {
      if (!(await store.removeSafe(id, who, clock.now()))) throw unknownSafeEntry();
      await announce(who, 'remove-safe', id);
    },

    decisions: store.readDecisions,
  };
}

function liftTargetOf({ block, userId, phoneNumber, address }: Lift, digest: Digest): LiftTarget {
  if (userId !== undefined) return { userId };
  if (phoneNumber) {
    const { e164 } = phoneNumber;
    return { phoneKey: digest('phone', e164), label: maskPhone(e164) };
  }
  if (address !== undefined) {
    const network = networkOf(address);
    return { source: digest('address', network), label: `address ${network}` };
  }
  return parseBlockId(block ?? '');
}

/** The id of a block consists of its kind and its key: see `listBlocks` of the store. */
function parseBlockId(block: string): LiftTarget {
  const [, kind, name = ''] = /^(user|confirmations|phone|address|token|code|prefix):(.+)$/.exec(block) ?? [];
  const id = parseId(name);
  const key = /^[0-9a-f]{32}$/.test(name) ? Buffer.from(name, 'hex') : undefined;
  if (kind === 'user' && id) return { userId: id };
  if (kind === 'confirmations' && id) return { confirmationsOf: id };
  if (kind === 'prefix') return { prefix: name };
  if (kind === 'phone' && key) return { blockedPhoneKey: key };
  if (kind === 'code' && key) return { code: key };
  if (key) return { source: key, label: `${kind} ${name.slice(0, 8)}` };
  throw unknownBlock();
}
