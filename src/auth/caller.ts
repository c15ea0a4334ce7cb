/** The caller of a request, from its token. */
export interface Caller {
  client: string;
  /** The token's `sub`: a person, or the client itself. */
  subject: string;
  scopes: ReadonlySet<string>;
  /** The user that the token is bound to. It may name no other. */
  userId: number | undefined;
  /** When the token expires, by the service's clock. */
  expiresAt: Date;
}
