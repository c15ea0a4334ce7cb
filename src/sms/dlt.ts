/**
 * The ids under which a sender and its texts are registered with a country's operators. India's operators deliver no
 * text without them (DLT, distributed ledger technology).
 */
export interface DltRegistration {
  /** The principal entity. */
  entity: string;
  /** The telemarketer that passes the texts on, for gateways that want it. */
  telemarketer: string | undefined;
  /** The registered templates, by the name of the message template: `en`, `en/1`, `hi/notice`. */
  templates: ReadonlyMap<string, string>;
}

/** By country. */
export type DltRegistrations = ReadonlyMap<string, DltRegistration>;

/** The ids that are sent to a gateway with one text. */
export interface DltIds {
  entity: string;
  template: string | undefined;
  telemarketer: string | undefined;
}

/** The only country whose operators need them today, and for which Infobip and AWS have fields. */
export const india = 'IN';
