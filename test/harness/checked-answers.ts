/**
 * Every answer that a test receives from a service is checked against openapi.json, whoever calls: `fetch` is wrapped
 * here, once for each process that runs test files, and `http-request.ts` calls `checkReceived`. `check-answers.ts` fails
 * the test that received a wrong answer.
 */
import { expect } from 'vitest';
import type { CheckedAnswer } from './contract.ts';

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
  const url = input instanceof Request ? input.url : input;
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  if (isChecked(url)) pending.push(checkResponse(url, method, response));
  return response;
};

function isChecked(url: string | URL): boolean {
  return origins.has(new URL(url).origin);
}

async function checkResponse(url: string | URL, method: string, response: Response): Promise<void> {
  // At once: the caller may read the body next. One that gives up takes its answer with it.
  const reading = isShort(response) ? response.clone().text() : undefined;
  const text = await reading?.catch(() => undefined);
  await check(url, { method, status: response.status, headers: response.headers, text });
}

type ReceivedAnswer = Omit<CheckedAnswer, 'address'>;

/** For an answer that did not come through `fetch`. Its text is left out if it is not read to its end. */
export function checkReceived(url: string | URL, answer: ReceivedAnswer): void {
  if (!isChecked(url)) return;
  pending.push(check(url, isShort(answer) ? answer : { ...answer, text: undefined }));
}

async function check(url: string | URL, answer: ReceivedAnswer): Promise<void> {
  const { pathname, search } = new URL(url);
  const { method, status } = answer;
  const address = pathname + search;
  // Loaded when it is first needed: many tests call no service.
  const { checkAnswer } = await import('./contract.ts');
  if (status === 500) {
    if (defectsExpected > 0) defectsExpected -= 1;
    else violations.push(`${method} ${address}: a defect (500); service.logLines has its place, in the line "defect"`);
  }
  for (const violation of checkAnswer({ ...answer, address })) violations.push(`${method} ${address}: ${violation}`);
}

/** Streams and files are not read a second time. */
function isShort({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  return status >= 300 || type === '' || type === 'application/json';
}

export async function reportAnswers(): Promise<void> {
  await Promise.all(pending.splice(0));
  expect(violations.splice(0), 'answers that openapi.json does not describe').toEqual([]);
}
