/**
 * The name of a code, or the code itself if it has none. Codes come from the service as any text, and every object has
 * members such as `constructor`.
 */
export function nameOf(names: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(names, code) ? names[code]! : code;
}
