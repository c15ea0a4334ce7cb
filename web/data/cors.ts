/** Detects whether a service refuses this page by CORS, which a browser does not distinguish from a network failure. */

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
 * Sends a request whose answer the page may not read. It succeeds if only CORS is the problem. It also succeeds if a
 * proxy answers while the service restarts, so a service whose answers could be read before is not probed.
 */
export async function isRefusedByCors(baseUrl: string): Promise<boolean> {
  const address = probeOf(baseUrl);
  if (address.origin === location.origin || readable.has(address.href)) return false;
  return fetch(address, { mode: 'no-cors', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
