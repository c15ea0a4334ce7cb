/** Webhook endpoints of a sandbox, and what was delivered to them. */
import { expect } from 'vitest';
import type { Service } from './service.ts';

export interface Endpoint {
  id: number;
  secret: string;
}

export async function subscribe(service: Service, url: string, types: string[] = ['user.created']): Promise<Endpoint> {
  const { status, json } = await service.call('/webhook-endpoints', { url, types });
  expect(status).toBe(201);
  return json;
}

/** Reads with a new token: the clock may have been moved further than a token is good for. */
export const read = async (service: Service, path: string) => {
  service.forgetTokens();
  return (await service.call(path, undefined, { method: 'GET' })).json;
};

export interface Delivery {
  eventId: string;
  type: string;
  state: string;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
}

export async function deliveries(service: Service, { id }: Endpoint, query = ''): Promise<Delivery[]> {
  return (await read(service, `/webhook-endpoints/${id}/deliveries${query}`)).deliveries;
}

export const advance = async (service: Service, seconds: number) => {
  await service.advance(seconds);
  service.forgetTokens();
};
