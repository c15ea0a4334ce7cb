/** `ledgerline guard lift`: lifts a block and takes back what was counted. */
import { plainAddress } from '../../http/client-address.ts';
import { parsePhoneNumber } from '../../values/phone-number.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { withGuardControl } from './guard-control.ts';

/** A block by its id, a phone by its number, or an address. */
export const guardLift = (what: string) =>
  withGuardControl(async (control) => {
    const phoneNumber = parsePhoneNumber(what);
    const address = plainAddress(what);
    const block = phoneNumber || address ? undefined : what;
    const target = { block, userId: undefined, phoneNumber, address };
    const { lifted, wasBlocked } = await control.lift(commandLineActor(), target);
    console.log(wasBlocked ? `Lifted ${lifted}.` : 'There was no block. What was counted is reset.');
  });
