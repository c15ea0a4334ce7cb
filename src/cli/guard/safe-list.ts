/** `ledgerline guard safe-list`: lists, adds and removes the numbers that the rules about destinations leave alone. */
import { StartError } from '../../errors.ts';
import { parsePhoneNumber } from '../../values/phone-number.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardSafeList = (options: { add?: string; addPrefix?: string; remove?: string }) =>
  withGuardControl(async (control) => {
    if (options.add !== undefined) {
      const phoneNumber = parsePhoneNumber(options.add);
      if (!phoneNumber) throw new StartError('--add takes a phone number in E.164 format, such as +447400123456.');
      await control.addSafe(commandLineActor(), { phoneNumber });
    }
    if (options.addPrefix !== undefined) {
      if (!/^\+[1-9]\d{2,8}$/.test(options.addPrefix)) throw new StartError('--add-prefix takes + and 3 to 9 digits.');
      await control.addSafe(commandLineActor(), { prefix: options.addPrefix });
    }
    if (options.remove !== undefined) await control.removeSafe(commandLineActor(), options.remove);
    table(await control.safeList(), {
      entry: 'id',
      numbers: ({ label, isPrefix }) => (isPrefix ? `${label}…` : label),
      added: 'addedAt',
      by: 'addedBy',
    });
  });
