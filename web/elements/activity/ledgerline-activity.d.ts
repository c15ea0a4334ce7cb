/** The types of the element, shipped next to its script. */

/** Gives a token; `refused` is true when the service refused the last one. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

export declare class LedgerlineActivity extends HTMLElement {
  getToken: TokenSource | undefined;
  /** Texts in another language; those not given stay English. */
  texts: Record<string, unknown>;
}

declare global {
  interface HTMLElementTagNameMap {
    'ledgerline-activity': LedgerlineActivity;
  }
}
