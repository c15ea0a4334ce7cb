/**
 * The claims of a JWT, for display and comparison only: the service decides whether a token is valid. Empty if it is
 * not a JWT.
 */
export function claimsOf(token: string): Record<string, unknown> {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
