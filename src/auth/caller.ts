/** Who makes a request, as its token says. */
export interface Caller {
  client: string;
  /** The token's `sub`: a person, or the client itself. */
  subject: string;
  scopes: ReadonlySet<string>;
  /** The one user a bound token may name. */
  userId: number | undefined;
}
