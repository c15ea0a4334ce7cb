/** What the tests of rules against abuse share. */
import { refusal, serviceForTest, type Service } from './service.ts';

/** A sandbox for one test, with one rule switched on and all others off. */
export const serviceWithRule = (rule: string, more: Record<string, string> = {}): Promise<Service> =>
  serviceForTest({ LEDGERLINE_RULES: `*=off,${rule}`, ...more });

export const tooMany = (message: string) => refusal(429, 'Too Many Requests', message);

export async function createUsers(service: Service, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => service.createUser()));
}
