/** The check of answers against openapi.json, which every other test relies on, can fail. */
import { describe, expect, it } from 'vitest';
import { checkAnswer, type CheckedAnswer } from './harness/contract.ts';

const page = { transactions: [], transactionCount: 0 };

function answer(changes: Partial<CheckedAnswer> & { body?: unknown; extra?: Record<string, string> }): CheckedAnswer {
  const { body = page, extra = {}, ...rest } = changes;
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'request-id': '00-1-2-00',
    ...extra,
  });
  const text = JSON.stringify(body);
  return { method: 'POST', address: '/app/get-all-transactions', status: 200, headers, text, ...rest };
}

const problem = { type: 'https://example.com', title: 'Bad Request', status: 400, traceId: '00-1-2-00' };
const problemHeaders = { 'content-type': 'application/problem+json; charset=utf-8' };

/** As it is for a path that does not exist. */
const notFound = (changes: Parameters<typeof answer>[0]) =>
  answer({ status: 404, body: problem, extra: { ...problemHeaders, 'error-reason': 'not-found' }, ...changes });

describe('an answer as documented', () => {
  it.each([
    answer({}),
    answer({ address: '/APP/get-all-transactions/?x=1', extra: { 'as-of': 'token' } }),
    answer({ status: 400, body: problem, extra: { ...problemHeaders, 'error-reason': 'unknown-individual' } }),
    answer({ method: 'GET', status: 405, extra: { 'error-reason': 'method-not-allowed', allow: 'POST' } }),
    notFound({ address: '/nowhere' }),
    notFound({ method: 'GET', address: '/metrics' }),
    notFound({ method: 'GET', address: '/webhook-endpoints/none' }),
  ])('passes (case %#)', (right) => {
    expect(checkAnswer(right)).toEqual([]);
  });
});

describe('an answer that is not documented', () => {
  it.each<[string, CheckedAnswer, RegExp]>([
    ['an unknown path', answer({ address: '/nowhere' }), /no such path/],
    ['not-found for a path that is always there', notFound({}), /the header Error-Reason/],
    ['not-found for an operation without it', notFound({ address: '/User' }), /does not document the status 404/],
    ['not-found with another body', notFound({ address: '/nowhere', body: {} }), /required property 'title'/],
    ['not-found as text', notFound({ address: '/nowhere', extra: { 'error-reason': 'not-found' } }), /media type/],
    ['an undocumented status', answer({ status: 201 }), /does not document the status 201/],
    ['a wrong method without Allow', answer({ method: 'GET', status: 405 }), /a method that is not documented/],
    ['a member that is missing', answer({ body: { transactions: [] } }), /required property 'transactionCount'/],
    ['a member too many', answer({ body: { ...page, secret: 1 } }), /must NOT have additional properties/],
    ['a member of the wrong type', answer({ body: { ...page, transactionCount: '0' } }), /must be integer/],
    ['a row of the wrong shape', answer({ body: { ...page, transactions: [{}] } }), /transactions\/0/],
    ['another media type', answer({ extra: { 'content-type': 'text/plain' } }), /media type text\/plain/],
    ['an undocumented header', answer({ extra: { 'code-length': '6' } }), /the header code-length is not documented/],
    [
      'an error without its reason',
      answer({ status: 400, body: problem, extra: problemHeaders }),
      /the header Error-Reason is missing/,
    ],
    [
      'a reason of another operation',
      answer({ status: 400, body: problem, extra: { ...problemHeaders, 'error-reason': 'invalid-code' } }),
      /the header Error-Reason/,
    ],
    [
      'a body where none belongs',
      answer({ address: '/User/phone-number/send-code', status: 204 }),
      /a body came where none is documented/,
    ],
  ])('fails: %s', (_, wrong, violation) => {
    expect(checkAnswer(wrong).join('\n')).toMatch(violation);
  });
});
