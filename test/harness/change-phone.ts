/** Calls about a change of number. */
import type { Service } from './service.ts';

export const changePath = (id: number | string, rest = '') => `/User/${id}/phone-number/change${rest}`;

/** The calls of a service, which is started later. */
export function changeCalls(service: () => Service) {
  return {
    change: (id: number | string, phoneNumber: string, to = service(), more: object = {}) =>
      to.call(changePath(id), { phoneNumber, ...more }),
    resend: (id: number | string, to = service()) => to.call(changePath(id, '/resend-code')),
    verify: (id: number | string, code: unknown, to = service()) => to.call(changePath(id, '/verify'), { code }),
    giveUp: (id: number | string, to = service()) => to.call(changePath(id), undefined, { method: 'DELETE' }),
    phoneOf: async (id: number, of = service()) =>
      (await of.call(`/User/${id}/status`, undefined, { method: 'GET' })).json.phoneNumber as string | null,
    linksOf: async (id: number, of = service()) =>
      (await of.sql`select phone from phone_links where user_id = ${id}`).map(({ phone }) => phone as string),
    eventsOf: async (id: number, of = service()) => {
      const { json } = await of.call(`/events?userId=${id}`, undefined, { method: 'GET' });
      const events = json.events as { type: string; data: Record<string, unknown> }[];
      return events.filter(({ type }) => type.startsWith('phone.'));
    },
    /** The codes in the inbox for a number, newest first. Notices have none. */
    codesTo: async (phone: string, of = service()) =>
      (await of.messages(phone)).flatMap(({ code }) => (code === null ? [] : [code])),
  };
}
