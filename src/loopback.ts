const names = new Set(['localhost', '::1', '[::1]']);

/** Whether a host, as a setting or a URL has it, is this machine. */
export function isLoopback(host: string): boolean {
  return names.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
