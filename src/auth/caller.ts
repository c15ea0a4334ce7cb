/** The caller of a request, from its token. */
export interface Caller {
  client: string;
  /** The token's `sub`: a person, or the client itself. */
  subject: string;
  scopes: ReadonlySet<string>;
  /** The user that the token is bound to. The request may not name another user. */
  userId: number | undefined;
  /** When the token expires, by the service's clock. */
  expiresAt: Date;
}
