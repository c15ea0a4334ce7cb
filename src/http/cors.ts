/** Cross-origin resource sharing, for pages of the configured origins only. */
import type { IncomingHttpHeaders } from 'node:http';

/** Response headers that a page may read. */
const exposed =
  'As-Of, Retry-After, Error-Reason, WWW-Authenticate, Code-Length, Code-Expires-In, Challenge, Location, Request-Id';

/** The headers that are added to every answer. */
export function createCors(origins: readonly string[]) {
  return function headersFor(method: string, { origin, ...headers }: IncomingHttpHeaders): Record<string, string> {
    if (origins.length === 0) return {};
    if (origin === undefined || !origins.includes(origin)) return { vary: 'Origin' };
    const allowed = { vary: 'Origin', 'access-control-allow-origin': origin };
    if (!isPreflight(method, headers)) return { ...allowed, 'access-control-expose-headers': exposed };
    const asked = headers['access-control-request-headers'];
    return {
      ...allowed,
      'access-control-allow-methods': 'GET, POST, DELETE',
      ...(asked !== undefined && { 'access-control-allow-headers': asked }),
      'access-control-max-age': '600',
    };
  };
}

export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
