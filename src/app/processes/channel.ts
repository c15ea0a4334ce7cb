/** Questions and answers over the channel between the primary and a worker. */

export interface ChannelQuestion {
  id: number;
  ask: string;
  body: unknown;
}

export interface ChannelReply {
  id: number;
  reply: unknown;
}

export interface Port {
  send(message: ChannelQuestion | ChannelReply): void;
  onMessage(take: (message: unknown) => void): void;
}

export type Answerer = (body: unknown) => unknown;

export interface Channel {
  /** Undefined if the other process has ended, or does not answer in time. */
  ask(name: string, body?: unknown): Promise<unknown>;
}

/** A process that is too busy to answer must not delay the one that asks. */
const answerMilliseconds = 3000;

export function openChannel(port: Port, answerers: Record<string, Answerer>): Channel {
  const waiting = new Map<number, (reply: unknown) => void>();
  let lastId = 0;

  async function answer({ id, ask, body }: ChannelQuestion): Promise<void> {
    const reply = await answerers[ask]?.(body);
    port.send({ id, reply });
  }

  port.onMessage((message) => {
    if (isQuestion(message)) void answer(message);
    else if (isReply(message)) waiting.get(message.id)?.(message.reply);
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
        port.send({ id, ask: name, body });
      });
    },
  };
}

function isQuestion(message: unknown): message is ChannelQuestion {
  return typeof message === 'object' && message !== null && 'ask' in message;
}

function isReply(message: unknown): message is ChannelReply {
  return typeof message === 'object' && message !== null && 'reply' in message;
}
