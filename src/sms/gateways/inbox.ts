/** The sandbox's gateway: messages wait to be read instead of leaving. */
import { accepted, type Gateway, type Message, type Answer } from '../gateway.ts';

export interface ReceivedMessage {
  phoneNumber: string;
  text: string;
  code: string;
  sentAt: Date;
}

/** Codes are kept in memory only: what is never written cannot be read off a disk. */
const capacity = 10_000;

export class Inbox implements Gateway {
  readonly name = 'inbox';
  readonly #now: () => Date;
  #messages: ReceivedMessage[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  async send({ phone, text, code }: Message): Promise<Answer> {
    this.#messages.push({ phoneNumber: phone, text, code, sentAt: this.#now() });
    if (this.#messages.length > 2 * capacity) this.#messages = this.#messages.slice(-capacity);
    return accepted();
  }

  /** Newest first. */
  read(phone?: string): ReceivedMessage[] {
    const wanted =
      phone === undefined ? this.#messages : this.#messages.filter(({ phoneNumber }) => phoneNumber === phone);
    return wanted.toReversed();
  }

  clear(): void {
    this.#messages = [];
  }
}
