/** Whether a service refuses this page by CORS, which a browser does not tell from a request that failed on its way. */

/** The services that this page has read an answer of, by the address of their probe. */
const readable = new Set<string>();

function probeOf(baseUrl: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '')}/health/live`, location.href);
}

/** Notes that this page could read an answer of the service, so that CORS allows it. */
export function noteAnswer(baseUrl: string): void {
  readable.add(probeOf(baseUrl).href);
}

/**
 * A request whose answer the page may not read goes through if only CORS is in the way. It also goes through if a proxy
 * answers while the service restarts, so a service whose answers could be read before is not probed.
 */
export async function isRefusedByCors(baseUrl: string): Promise<boolean> {
  const address = probeOf(baseUrl);
  if (address.origin === location.origin || readable.has(address.href)) return false;
  return fetch(address, { mode: 'no-cors', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
