/** Lists and lifts the blocks that are in force. `reserve_attempt` in src/db/functions/ makes them and refuses by them. */
import type { Clock } from '../../values/clock.ts';
import { unknownBlock } from '../../errors.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';
import { maskPhone, type PhoneNumber } from '../../values/phone-number.ts';
import type { AnnounceChange } from './announce-change.ts';
import type { Block, BlocksStore, Lifted, LiftTarget } from './blocks.store.ts';
import { networkOf } from '../../values/network.ts';
import type { Digest } from '../source.ts';

/** What to lift: exactly one of these is given. */
export interface Lift {
  /** The id of a listed block. */
  block: string | undefined;
  userId: number | undefined;
  phoneNumber: PhoneNumber | undefined;
  address: string | undefined;
}

export interface BlockParts {
  store: BlocksStore;
  digest: Digest;
  clock: Clock;
  announceChange: AnnounceChange;
  /** Absent if no service runs in this process. */
  forgetRange: ((name: string) => void) | undefined;
}

/** Maximum number of listed blocks. Those that end last are listed. */
export const blockLimit = 500;

export function createBlocks({ store, digest, clock, announceChange, forgetRange }: BlockParts) {
  return {
    listBlocks: (owner?: Owner): Promise<Block[]> => store.listBlocks(clock.now(), blockLimit, owner),

    async liftBlock(who: Operator, what: Lift): Promise<Lifted> {
      const target = liftTargetOf(what, digest);
      const result = await store.liftBlock(target, who, clock.now());
      if (result.lifted === 0) throw unknownBlock();
      if ('prefix' in target) forgetRange?.(target.prefix);
      await announceChange(who, 'lift', Object.keys(target)[0]!);
      return result;
    },
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
  const id = /^\d{1,10}$/.test(name) ? Number(name) : 0;
  const key = /^[0-9a-f]{32}$/.test(name) ? Buffer.from(name, 'hex') : undefined;
  if (id > 0 && id <= 2_147_483_647) {
    if (kind === 'user') return { userId: id };
    if (kind === 'confirmations') return { confirmationsOf: id };
  }
  if (kind === 'prefix') return { prefix: name };
  if (kind === 'phone' && key) return { blockedPhoneKey: key };
  if (kind === 'code' && key) return { code: key };
  if (key) return { source: key, label: `${kind} ${name.slice(0, 8)}` };
  throw unknownBlock();
}
