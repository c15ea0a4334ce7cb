/** The messages of the sandbox. They are in memory only: what is never written cannot be read off a disk. */
import type { Message } from './gateway.ts';

export interface ReceivedMessage {
  phoneNumber: string;
  text: string;
  code: string;
  sentAt: Date;
}

const capacity = 10_000;

export class Inbox {
  readonly #now: () => Date;
  #messages: ReceivedMessage[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  keep({ phone, text, code }: Message): void {
    this.#messages.push({ phoneNumber: phone, text, code, sentAt: this.#now() });
    if (this.#messages.length > 2 * capacity) this.#messages = this.#messages.slice(-capacity);
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
