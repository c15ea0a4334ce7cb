/** Detects whether a service refuses this page by CORS, which a browser does not distinguish from a network failure. */

import { LedgerlineError } from '../../client/errors.ts';
import type { TokenSource } from '../../client/token.ts';

/** What callbacks of the host page have thrown. */
const thrownByPage = new WeakSet();

/** A token source that notes its errors: they are no failure of the service. */
export function notingErrors(source: TokenSource): TokenSource {
  return async (refused) => {
    try {
      return await source(refused);
    } catch (error) {
      if (error instanceof Object) thrownByPage.add(error);
      throw error;
    }
  };
}

/** The services whose answers this page could read, by the address of their probe. */
const readable = new Set<string>();

function probeOf(baseUrl: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '')}/health/live`, location.href);
}

/** Notes that this page could read an answer of the service, so that CORS allows it. */
export function noteAnswer(baseUrl: string): void {
  readable.add(probeOf(baseUrl).href);
}

/**
 * Whether CORS is why a request failed: sends one whose answer the page may not read. It succeeds if only CORS is the
 * problem. It also succeeds if a proxy answers while the service restarts, so a service whose answers could be read
 * before is not probed.
 */
export async function isRefusedByCors(baseUrl: string, error: unknown): Promise<boolean> {
  if (!(error instanceof LedgerlineError) || thrownByPage.has(Object(error.cause))) return false;
  const address = probeOf(baseUrl);
  if (address.origin === location.origin || readable.has(address.href)) return false;
  return fetch(address, { mode: 'no-cors', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
