/** A position in the log of messages, as text: the next message and the next refused send. */

/** There is nothing older on this side. */
export const exhausted = 'exhausted';
/** Undefined: start with the newest. */
export type SidePosition<Position> = Position | undefined | typeof exhausted;

export interface LogCursor {
  messages: SidePosition<{ at: Date; userId: number; number: number }>;
  refusals: SidePosition<{ at: Date; id: number }>;
}

const pattern = /^(?:(end|start)|(\d{1,14})\.(\d{1,10})\.(\d{1,10}))_(?:(end|start)|(\d{1,14})\.(\d{1,15}))$/;

export function writeLogCursor({ messages, refusals }: LogCursor): string {
  const left = wordOf(messages) ?? numbers(messages, 'userId', 'number');
  const right = wordOf(refusals) ?? numbers(refusals, 'id');
  return `${left}_${right}`;
}

function wordOf(position: SidePosition<object>): string | undefined {
  return position === undefined ? 'start' : position === exhausted ? 'end' : undefined;
}

function numbers(position: unknown, ...names: string[]): string {
  const { at, ...rest } = position as { at: Date } & Record<string, number>;
  return [at.getTime(), ...names.map((name) => rest[name])].join('.');
}

export function parseLogCursor(text: string): LogCursor | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, messageWord, messageAt, userId, number, refusalWord, refusalAt, id] = match;
  if (Number(userId ?? 0) > largestInt32 || Number(number ?? 0) > largestInt32) return undefined;
  return {
    messages:
      positionOfWord(messageWord) ??
      (messageAt === undefined
        ? undefined
        : { at: new Date(Number(messageAt)), userId: Number(userId), number: Number(number) }),
    refusals:
      positionOfWord(refusalWord) ??
      (refusalAt === undefined ? undefined : { at: new Date(Number(refusalAt)), id: Number(id) }),
  };
}

const largestInt32 = 2_147_483_647;

const positionOfWord = (word: string | undefined) => (word === 'end' ? exhausted : undefined);
