/** A UUID as it was given, in any case. Undefined if the text is none. */
export function parseUuid(text = ''): string | undefined {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined;
}
