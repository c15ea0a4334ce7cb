/**
 * Whether a service refuses this page by CORS. A browser does not tell a page whether a request failed on its way or
 * was refused by CORS; a request whose answer the page may not read goes through in the second case only.
 */
export async function isRefusedByCors(baseUrl: string): Promise<boolean> {
  const address = new URL(`${baseUrl.replace(/\/+$/, '')}/health/live`, location.href);
  if (address.origin === location.origin) return false;
  return fetch(address, { mode: 'no-cors', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
