/** Ids of users. */

/** Ids are positive, and have 32 bits with a sign. */
export function isUserId(id: number): boolean {
  return Number.isInteger(id) && id > 0 && id < 2 ** 31;
}

/** The user that a token is bound to, if it is a JWT that names one: the service decides whether the token is valid. */
export function userOfToken(token: string): string | undefined {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const { user_id: user } = JSON.parse(atob(payload)) as { user_id?: unknown };
    return user === undefined ? undefined : String(user);
  } catch {
    return undefined;
  }
}
