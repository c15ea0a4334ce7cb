/** The parts of every function of the client: a call, and how to read its answer. */
import { LedgerlineError, requestIdOf, textOf } from './errors.ts';
import { parseExact } from './exact.ts';
import { createTransport, type Call, type CallSettings, type TransportOptions } from './transport.ts';

export interface CallOptions extends CallSettings {
  signal?: AbortSignal;
}

export interface Answer<T> {
  value: T;
  headers: Headers;
}

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(options: TransportOptions) {
  const transport = createTransport(options);

  async function jsonAndHeaders<T>(call: Call): Promise<Answer<T>> {
    const response = await transport(call);
    return {
      value: parseAnswer(await textOf(response, call.signal), response.headers) as T,
      headers: response.headers,
    };
  }

  return {
    transport,
    jsonAndHeaders,

    json: async <T>(call: Call): Promise<T> => (await jsonAndHeaders<T>(call)).value,

    async discardBody(call: Call): Promise<void> {
      await textOf(await transport(call), call.signal);
    },
  };
}

/** A body that is no JSON comes from something between the app and the service. */
function parseAnswer(text: string, headers: Headers): unknown {
  try {
    return parseExact(text);
  } catch (cause) {
    const requestId = requestIdOf(headers);
    throw new LedgerlineError('unavailable', 'The answer cannot be read.', { cause, requestId });
  }
}

export function get(path: string, options: CallOptions = {}): Call {
  return { method: 'GET', path, repeatable: true, ...settingsOf(options) };
}

/** Only what every call may set: a caller may pass a larger object. */
function settingsOf({ signal, retries, timeoutSeconds, onAnswer }: CallOptions) {
  return {
    signal,
    ...(retries !== undefined && { retries }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(onAnswer && { onAnswer }),
  };
}

export function post(path: string, body?: unknown, options: CallOptions = {}): Call {
  return { method: 'POST', path, body, ...settingsOf(options) };
}

/** A POST that may be repeated. */
export function read(path: string, body: unknown, options?: CallOptions): Call {
  return { ...post(path, body, options), repeatable: true };
}

export function remove(path: string, options: CallOptions = {}): Call {
  return { method: 'DELETE', path, repeatable: true, ...settingsOf(options) };
}

type QueryValue = string | number | null | undefined | readonly string[];

/** A path with a query of the parameters that are given. */
export function withQuery(path: string, query: Record<string, QueryValue>): string {
  const known = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item != null) known.append(name, String(item));
  }
  const text = known.toString();
  return text === '' ? path : `${path}?${text}`;
}
