/** The port to whoever carries messages. */

export interface Message {
  /** Whom it goes to, in E.164. */
  phone: string;
  text: string;
  /** The code inside the text, for gateways that show or fill it in. */
  code: string;
  /** After this the message is worth nothing, and a gateway need not try any longer. */
  validSeconds: number;
}

export type Outcome =
  | { kind: 'accepted'; gateway: string; id?: string }
  /** The gateway will not carry this message, however often it is asked. */
  | { kind: 'rejected'; gateway: string; reason: string }
  /** The gateway could not be asked, or could not say. */
  | { kind: 'unavailable'; gateway: string; reason: string };

export interface Gateway {
  readonly name: string;
  send(message: Message): Promise<Outcome>;
}
