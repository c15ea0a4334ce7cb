/** Questions and answers over the channel between the primary and a worker. */

export interface Question {
  id: number;
  ask: string;
  body: unknown;
}

export interface Reply {
  id: number;
  reply: unknown;
}

export interface Port {
  send(message: Question | Reply): void;
  onMessage(take: (message: unknown) => void): void;
}

export type Answerer = (body: unknown) => unknown;

export interface Channel {
  /** Undefined if the other side has gone, or does not answer in time. */
  ask(name: string, body?: unknown): Promise<unknown>;
}

/** A process that is too busy for an answer must not hold up the one that asks. */
const answerMilliseconds = 3000;

export function openChannel(port: Port, answerers: Record<string, Answerer>): Channel {
  const waiting = new Map<number, (reply: unknown) => void>();
  let lastId = 0;

  async function answer({ id, ask, body }: Question): Promise<void> {
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

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'ask' in message;
}

function isReply(message: unknown): message is Reply {
  return typeof message === 'object' && message !== null && 'reply' in message;
}
