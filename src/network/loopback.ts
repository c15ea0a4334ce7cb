const names = new Set(['localhost', '::1', '[::1]']);

/** Whether a host, as written in a setting or a URL, is this machine. */
export function isLoopback(host: string): boolean {
  return names.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
