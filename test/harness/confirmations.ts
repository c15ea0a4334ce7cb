/** Calls of confirmations, for tests. */
import { expect } from 'vitest';
import { newPhone, type Service } from './service.ts';

export const terms = { amount: '24.90', currency: 'EUR', payee: 'Corner Shop' };
/** Seconds such as 24.988 are no amount. */
export const anyTerm = /Corner Shop|24\.90?(?!\d)/;
export const payment = { purpose: 'payment', ...terms };

export interface Pending {
  id: number;
  phone: string;
  confirmationId: string;
  code: string;
}

export const pathOf = (id: number, confirmationId: string, action = '') =>
  `/User/${id}/confirmations/${confirmationId}${action && `/${action}`}`;

export function confirmationCalls(service: () => Service) {
  const create = (id: number, body: unknown = payment, headers: Record<string, string> = {}) =>
    service().call(`/User/${id}/confirmations`, body, { headers });
  const read = (id: number, confirmationId: string) =>
    service().call(pathOf(id, confirmationId), undefined, { method: 'GET' });
  return {
    create,
    read,
    check: (id: number, confirmationId: string, body: unknown) =>
      service().call(pathOf(id, confirmationId, 'check'), body),
    resend: (id: number, confirmationId: string) =>
      service().call(pathOf(id, confirmationId, 'resend-code'), undefined),
    cancel: (id: number, confirmationId: string) =>
      service().call(pathOf(id, confirmationId), undefined, { method: 'DELETE' }),
    unlink: (id: number) => service().call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' }),
    stateOf: async (id: number, confirmationId: string): Promise<string> => (await read(id, confirmationId)).json.state,

    /** A verified user with a pending confirmation. */
    async pending(body: Record<string, unknown> = payment): Promise<Pending> {
      const phone = newPhone();
      const id = await service().verifiedUser(phone);
      const created = await create(id, body);
      expect(created.status).toBe(201);
      return { id, phone, confirmationId: created.json.confirmationId, code: await service().lastCode(phone) };
    },

    /** The user's events whose type begins like this. */
    async eventsOf(id: number, prefix: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
      const { json } = await service().call(`/events?limit=1000&userId=${id}`, undefined, { method: 'GET' });
      return json.events
        .filter(({ type }: { type: string }) => type.startsWith(prefix))
        .map(({ type, data }: { type: string; data: Record<string, unknown> }) => ({ type, data }));
    },
  };
}
