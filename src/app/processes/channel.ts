/** Questions and answers over the channel between the primary and a worker. */
import { inBackground, type ReportError } from '../../monitoring/background.ts';

interface ChannelQuestion {
  id: number;
  ask: string;
  body: unknown;
}

interface ChannelReply {
  id: number;
  reply: unknown;
}

export interface Port {
  /** `onFailure` is called if the message cannot be delivered, since the other process has ended. */
  send(message: ChannelQuestion | ChannelReply, onFailure: () => void): void;
  onMessage(take: (message: unknown) => void): void;
}

export type Answerer = (body: unknown) => unknown;

export interface Channel {
  /** Undefined if the other process has ended, or does not answer in time. */
  ask(name: string, body?: unknown): Promise<unknown>;
}

/** A process that is too busy to answer must not delay the one that asks. */
const answerMilliseconds = 3000;

export function openChannel(port: Port, answerers: Record<string, Answerer>, report: ReportError): Channel {
  const waiting = new Map<number, (reply: unknown) => void>();
  let lastId = 0;

  /** If the answer fails, the other process is told so at once, and does not wait. */
  async function answer({ id, ask, body }: ChannelQuestion): Promise<void> {
    let reply: unknown;
    try {
      reply = await answerers[ask]?.(body);
    } finally {
      port.send({ id, reply }, nobodyWaits);
    }
  }

  port.onMessage((message) => {
    if (isMessage<ChannelQuestion>(message, 'ask')) inBackground(() => answer(message), report);
    else if (isMessage<ChannelReply>(message, 'reply')) waiting.get(message.id)?.(message.reply);
  });

  return {
    ask(name, body) {
      const id = (lastId += 1);
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(undefined), answerMilliseconds);
        const settle = (reply: unknown) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(reply);
        };
        waiting.set(id, settle);
        port.send({ id, ask: name, body }, () => settle(undefined));
      });
    },
  };
}

/** The process that asked has ended. */
function nobodyWaits(): void {}

/** Each kind of message between the processes has a member that no other kind has. */
export function isMessage<Message>(message: unknown, member: keyof Message): message is Message {
  return typeof message === 'object' && message !== null && member in message;
}
