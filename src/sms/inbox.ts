/** The messages of the sandbox: they are kept in the database, so that every process of the service can read them. */
import type { CodeChannel } from './channels.ts';
import type { Message } from './gateway.ts';

export interface ReceivedMessage {
  phoneNumber: string;
  text: string;
  code: string | null;
  /** What the text was for. */
  purpose: string;
  channel: CodeChannel;
  sentAt: Date;
}

export interface InboxStore {
  add(reference: string, message: ReceivedMessage): Promise<void>;
  /** Newest first. */
  read(phoneNumber?: string): Promise<ReceivedMessage[]>;
}

export class Inbox {
  readonly #store: InboxStore;
  readonly #now: () => Date;

  constructor(store: InboxStore, now: () => Date) {
    this.#store = store;
    this.#now = now;
  }

  keep({ reference, e164, text, code, purpose, channel }: Message): Promise<void> {
    return this.#store.add(reference, { phoneNumber: e164, text, code, purpose, channel, sentAt: this.#now() });
  }

  /** Newest first. */
  read(phoneNumber?: string): Promise<ReceivedMessage[]> {
    return this.#store.read(phoneNumber);
  }
}
