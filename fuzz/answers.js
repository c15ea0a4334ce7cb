/** What every answer must look like, whatever was asked. */

const traceId = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;
const expected = new Set([
  200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 408, 413, 415, 429, 431,
]);

/** A sentence if something is wrong. */
export function checkAnswer(request, { status, headers, text, error, isUnsent }) {
  if (isUnsent) return undefined;
  if (error === 'timeout') return 'The request hung.';
  // The service may end a connection whose request is not HTTP; a request of ours is.
  if (error) return `No answer: ${error}`;
  if (!expected.has(status)) return `Unexpected status ${status}.`;
  if (status < 400 || request.method === 'HEAD') return undefined;
  if (!headers['error-reason']) return 'An error without Error-Reason.';
  if (status === 401 && !request.name.endsWith('/connect/token')) {
    return text === '' && headers['www-authenticate'] ? undefined : 'A 401 with a body, or without WWW-Authenticate.';
  }
  return request.path.toLowerCase().startsWith('/connect/token') ? undefined : checkProblem(status, headers, text);
}

function checkProblem(status, headers, text) {
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8') return 'An error that is no problem+json.';
  let problem;
  try {
    problem = JSON.parse(text);
  } catch {
    return 'A problem that is no JSON.';
  }
  if (problem.status !== status || typeof problem.title !== 'string' || typeof problem.type !== 'string') {
    return 'A problem without status, title or type.';
  }
  if (!traceId.test(problem.traceId)) return 'A problem without a traceId.';
  const messages = Object.values(problem.errors ?? {});
  return messages.every((list) => Array.isArray(list) && list.every((message) => typeof message === 'string'))
    ? undefined
    : 'A problem whose errors are not lists of sentences.';
}
