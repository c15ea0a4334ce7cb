/** Text for a terminal: callers and gateways chose it, and a terminal obeys control characters. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\ufffd');
}
