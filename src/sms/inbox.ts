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

export type Inbox = ReturnType<typeof createInbox>;

export function createInbox(store: InboxStore, now: () => Date) {
  return {
    keep: ({ reference, e164, text, code, purpose, channel }: Message): Promise<void> =>
      store.add(reference, { phoneNumber: e164, text, code, purpose, channel, sentAt: now() }),
    read: store.read,
  };
}
