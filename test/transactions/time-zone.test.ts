/** The days of time zones. */
import { expect, it } from 'vitest';
import { momentsOfDay } from '../../src/values/time-zone.ts';

it.each([
  ['UTC', '2026-11-30', '2026-11-30T00:00:00.000Z', '2026-11-30T23:59:59.999999Z'],
  ['Asia/Dubai', '2026-11-30', '2026-11-29T20:00:00.000Z', '2026-11-30T19:59:59.999999Z'],
  ['America/New_York', '2026-11-30', '2026-11-30T05:00:00.000Z', '2026-12-01T04:59:59.999999Z'],
  // 23 and 25 hours.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999999Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999999Z'],
  // It begins at one o'clock.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.999999Z'],
  // The ends of the calendar, beyond which there is no row.
  ['Asia/Tokyo', '0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-01T14:41:00.999999Z'],
  ['America/New_York', '0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-02T04:56:01.999999Z'],
  ['Asia/Tokyo', '9999-12-31', '9999-12-30T15:00:00.000Z', '9999-12-31T23:59:59.999999Z'],
  ['America/New_York', '9999-12-31', '9999-12-31T05:00:00.000Z', '9999-12-31T23:59:59.999999Z'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', '2026-01-01T09:59:59.999999Z'],
])('in %s %s lasts from %s to %s', (timeZone, date, first, last) => {
  expect(momentsOfDay(date, timeZone)).toEqual({ first, last });
});
