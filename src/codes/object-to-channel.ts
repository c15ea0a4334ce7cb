/**
 * Judges a message over a channel that no reservation has counted: the next one after a failure, whether somebody waits
 * for it or not. It has a price, a budget of its country and ranges of its own. Users and phones are not counted again.
 */
import type { Target } from '../guard/destination.ts';
import type { LiveGuard } from '../guard/live.ts';
import type { RangeBook } from '../guard/ranges/range-book.ts';
import { isOn } from '../guard/rules.ts';
import type { ReportError } from '../monitoring/background.ts';
import type { Clock } from '../values/clock.ts';
import type { CodeKind } from './code.ts';
import type { SpendOnText } from './spend-on-text.ts';

export interface ObjectToChannelParts {
  live: LiveGuard;
  ranges: RangeBook;
  spend: SpendOnText;
  clock: Clock;
  report: ReportError;
}

/** Why the message may not be sent; undefined if it may. */
export type ObjectToChannel = (kind: CodeKind, target: Target) => Promise<string | undefined>;

export function createObjectToChannel({ live, ranges, spend, clock, report }: ObjectToChannelParts): ObjectToChannel {
  return async function objectToChannel(kind, target) {
    const { phoneNumber, channel } = target;
    // The phone of a confirmation is proven, so ranges do not judge it.
    const isJudged = kind !== 'confirmation' && isOn('prefix', live.modes, live.isSafe(phoneNumber.e164));
    const range = isJudged ? ranges.judge({ channel, ...phoneNumber }, clock.now()) : undefined;
    if (range?.objection && live.modes.prefix === 'enforce') {
      range.giveBack();
      return 'the range of the number is limited';
    }
    try {
      if (await spend(target, 'country-sends')) return undefined;
    } catch (error) {
      report(error);
      range?.giveBack();
      return 'the budgets cannot be read';
    }
    range?.giveBack();
    return 'the spend of the day is used up';
  };
}
