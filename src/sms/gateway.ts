/** The port to whoever carries messages. */

export interface Message {
  /** Ours, the same however often the message is handed over. It comes back in receipts, and cannot be guessed. */
  reference: string;
  /** Whom it goes to, in E.164. */
  phone: string;
  /** ISO 3166 code of the phone's country, where the number is valid. */
  country: string | undefined;
  text: string;
  /** The code inside the text, for gateways that show or fill it in. */
  code: string;
  /** After this the message is worth nothing, and a gateway need not try any longer. */
  validSeconds: number;
}

export interface Accepted {
  kind: 'accepted';
  gateway: string;
  /** The gateway's own name for the message. */
  id?: string;
}

/** Nobody will carry this message to this phone, however often and whoever is asked. */
export interface Rejected {
  kind: 'rejected';
  gateway: string;
  reason: string;
}

/** The gateway could not be asked, could not say, or does not carry it for reasons of its own. */
export interface Unavailable {
  kind: 'unavailable';
  gateway: string;
  reason: string;
  /** It may have gone out all the same. */
  maybeSent: boolean;
}

export type Outcome = Accepted | Rejected | Unavailable;

export interface Gateway {
  readonly name: string;
  /** Whether asking again with the same reference never sends a second text. */
  readonly idempotent?: boolean;
  /** Answers in the time it is given, and never throws. */
  send(message: Message, withinMilliseconds: number): Promise<Outcome>;
  /** What a callback of the gateway says; undefined when it is not authentic. */
  readReceipts?(callback: Callback): Receipt[] | undefined;
  close?(): Promise<void> | void;
}

/** A request that claims to come from a gateway. */
export interface Callback {
  /** The whole address, as the gateway was told it. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** What became of a message. */
export interface Receipt {
  /** Our reference, where the gateway gives it back otherwise than in the address. */
  reference?: string;
  /** The gateway's own name for the message. */
  id?: string;
  state: 'delivered' | 'failed';
  reason?: string;
}

/** The words of one gateway's answers, so that an adapter does not repeat its name. */
export function outcomesOf(gateway: string) {
  return {
    accepted: (id?: unknown): Accepted => ({
      kind: 'accepted',
      gateway,
      ...(typeof id === 'string' && id !== '' && { id: id.slice(0, 200) }),
    }),
    rejected: (reason: unknown): Rejected => ({ kind: 'rejected', gateway, reason: brief(reason) }),
    /** It surely was not sent. */
    unsent: (reason: unknown): Unavailable => ({
      kind: 'unavailable',
      gateway,
      reason: brief(reason),
      maybeSent: false,
    }),
    unknown: (reason: unknown): Unavailable => ({
      kind: 'unavailable',
      gateway,
      reason: brief(reason),
      maybeSent: true,
    }),
  };
}

export type Outcomes = ReturnType<typeof outcomesOf>;

/** Reasons go to logs and trails: what a gateway writes may quote the number, so no row of digits stays. */
export function brief(reason: unknown): string {
  return String(reason)
    .replaceAll(/\+?\d{6,}/g, '…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 120);
}
