/**
 * Every answer that a test receives from a service is checked against openapi.json, whoever calls: `fetch` is wrapped
 * here, once for each process that runs test files. `check-answers.ts` fails the test that received a wrong answer.
 */
import { expect } from 'vitest';

const origins = new Set<string>();
const violations: string[] = [];
const pending: Promise<void>[] = [];
let defectsExpected = 0;

/** Answers of the service at this URL are checked from now on. */
export function checkAnswersOf(url: string): void {
  origins.add(new URL(url).origin);
}

/** For the end of a file: another may have a server of another kind on the same port. */
export function forgetServices(): void {
  origins.clear();
}

/** For a test that causes a defect on purpose: so many answers may be 500. */
export function expectDefects(count: number): void {
  defectsExpected += count;
}

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  if (origins.has(url.origin)) {
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    pending.push(check(method, url.pathname + url.search, response));
  }
  return response;
};

async function check(method: string, address: string, response: Response): Promise<void> {
  const { status, headers } = response;
  // At once: the caller may read the body next. One that gives up takes its answer with it.
  const reading = isShort(response) ? response.clone().text() : undefined;
  const text = await reading?.catch(() => undefined);
  // Loaded when it is first needed: many tests call no service.
  const { checkAnswer } = await import('./contract.ts');
  if (status === 500) {
    if (defectsExpected > 0) defectsExpected -= 1;
    else violations.push(`${method} ${address}: a defect (500); service.logLines has its place, in the line "defect"`);
  }
  for (const violation of checkAnswer({ method, address, status, headers, text })) {
    violations.push(`${method} ${address}: ${violation}`);
  }
}

/** Streams and files are not read a second time. */
function isShort({ status, headers }: Response): boolean {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  return status >= 300 || type === '' || type === 'application/json';
}

export async function reportAnswers(): Promise<void> {
  await Promise.all(pending.splice(0));
  expect(violations.splice(0), 'answers that openapi.json does not describe').toEqual([]);
}
