/** A role of one test. */
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';

export interface TestRole {
  name: string;
  /** The same address, for this role. */
  urlOf(url: string): string;
}

/** A role that may log in. It is dropped after the databases that the test makes later. */
export async function roleForTest(): Promise<TestRole> {
  const name = `role_${Math.random().toString(36).slice(2, 10)}`;
  const cluster = postgres(inject('clusterUrl'), { max: 1, onnotice: () => {} });
  await cluster.unsafe(`create role ${name} login password 'secret'`);
  onTestFinished(async () => {
    await cluster.unsafe(`drop role ${name}`);
    await cluster.end();
  });
  return {
    name,
    urlOf: (url) => Object.assign(new URL(url), { username: name, password: 'secret' }).href,
  };
}
