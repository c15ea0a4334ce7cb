import { filterText, withDefault } from '../../../formats/shape.ts';
import { parseTimeZone, timeZoneMessage } from '../../../values/time-zone.ts';

export const timeZoneMember = (about: string) =>
  withDefault(filterText({ parse: parseTimeZone, message: timeZoneMessage }), 'UTC', about);
