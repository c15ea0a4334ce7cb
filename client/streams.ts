/**
 * Server-Sent Events with a token: read by fetch, since EventSource sends no headers. It reconnects and resumes by
 * itself.
 */
import { LedgerlineError, noAnswer, type FailureKind } from './errors.ts';
import { pause, type Call, type Transport } from './transport.ts';

export interface StreamMessage {
  event: string;
  id: string | undefined;
  data: string;
}

/** The service sends a comment every 15 seconds. If three of them are missing, the connection is dead. */
const silentSeconds = 45;
const firstDelaySeconds = 1;
const longestDelaySeconds = 30;

/** A proxy may ask for more, or seem to, if the clock of this machine is wrong and it names a date. */
const longestAskedSeconds = 3600;

/** Failures that another try does not solve. */
const finalKinds: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'invalid',
  'refused',
  'unauthorized',
  'forbidden',
  'not-found',
]);

/** Seconds before the next try, if an answer asked for a pause. */
function askedDelay({ retryAfterSeconds }: LedgerlineError): number | undefined {
  return retryAfterSeconds && Math.min(retryAfterSeconds, longestAskedSeconds);
}

/** Seconds before the next try, after so many failures in a row. */
function delayAfter(failures: number): number {
  return Math.min(firstDelaySeconds * 2 ** failures, longestDelaySeconds) * (0.5 + Math.random());
}

/** Waits until the next try, or until the signal is aborted. Throws an error that another try does not solve. */
export async function pauseAfterFailure(
  error: unknown,
  failures: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) return;
  if (!(error instanceof LedgerlineError) || finalKinds.has(error.kind)) throw error;
  await pause(askedDelay(error) ?? delayAfter(failures), signal);
}

/** The messages of a stream, over all its connections. Ends when the signal is aborted; throws when the service refuses. */
export async function* readStream(transport: Transport, call: Call): AsyncGenerator<StreamMessage, void> {
  let lastEventId: string | undefined;
  let refreshToken = false;
  for (let failures = 0; !call.signal?.aborted; failures += 1) {
    let delay = delayAfter(failures);
    const connection = new Connection(call.signal);
    try {
      const response = await transport({ ...call, lastEventId, refreshToken, signal: connection.signal });
      refreshToken = false;
      for await (const message of connection.messages(response)) {
        failures = 0;
        lastEventId = message.id ?? lastEventId;
        refreshToken = message.event === 'expired';
        if (refreshToken) break;
        yield message;
      }
      // An expired token is replaced immediately.
      if (refreshToken) delay = 0;
    } catch (error) {
      if (call.signal?.aborted) return;
      if (!(error instanceof LedgerlineError) || finalKinds.has(error.kind)) throw error;
      delay = askedDelay(error) ?? delay;
    } finally {
      connection.close();
    }
    await pause(delay, call.signal);
  }
}

/** One connection, which is closed when nothing arrives for a while. */
class Connection {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    outer?.addEventListener('abort', this.#abort, { once: true });
    this.#listen();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, silentSeconds * 1000);
  }

  async *messages(response: Response): AsyncGenerator<StreamMessage, void> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const read = () => reader.read().catch((cause: unknown) => Promise.reject(noAnswer(cause)));
    let text = '';
    for (let part = await read(); !part.done; part = await read()) {
      this.#listen();
      text = (text + part.value).replaceAll('\r\n', '\n');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const message = parseMessage(text.slice(0, end));
        text = text.slice(end + 2);
        if (message) yield message;
      }
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
  }
}

/** Undefined for a block without data, such as a comment. */
function parseMessage(block: string): StreamMessage | undefined {
  // The dot must match U+2028 and U+2029 too, which end a line in JavaScript, but not in a stream.
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/s.exec(line)?.slice(1) ?? []);
  const valuesOf = (name: string) => fields.flatMap(([field, value]) => (field === name ? [value!] : []));
  const data = valuesOf('data');
  if (data.length === 0) return undefined;
  return { event: valuesOf('event').at(-1) ?? 'message', id: valuesOf('id').at(-1), data: data.join('\n') };
}
