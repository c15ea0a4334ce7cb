/** The element's types, as they are shipped beside its script. */

/** Gives a token; `refused` is true when the one given last was not taken. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

export declare class LedgerlineActivity extends HTMLElement {
  getToken: TokenSource | undefined;
  /** Words in another language; those not given stay English. */
  texts: Record<string, unknown>;
}

declare global {
  interface HTMLElementTagNameMap {
    'ledgerline-activity': LedgerlineActivity;
  }
}
