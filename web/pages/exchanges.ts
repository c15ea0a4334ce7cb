/** Every request of the page, as it was made. */

export interface Exchange {
  id: number;
  request: ExchangeRequest;
  status: number;
  /** Headers that a client acts on. */
  headers: string[];
  body: string;
}

export interface ExchangeRequest {
  method: string;
  url: URL;
  hasToken: boolean;
  /** The JSON body. */
  json: string | undefined;
  /** The form of a token request. */
  form: [name: string, value: string][] | undefined;
}

const shownHeaders = ['code-length', 'code-expires-in', 'error-reason', 'retry-after', 'www-authenticate'];

/** `fetch` that reports each request. */
export function recordingFetch(report: (exchange: Exchange) => void): typeof fetch {
  let count = 0;
  return async (input, init = {}) => {
    const url = new URL(String(input), location.origin);
    const response = await fetch(url, init);
    const text = await response.clone().text();
    count += 1;
    report({
      id: count,
      request: requestOf(url, init),
      status: response.status,
      headers: shownHeaders.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [`${name}: ${value}`];
      }),
      body: formatBody(text),
    });
    return response;
  };
}

function requestOf(url: URL, { method = 'GET', headers, body }: RequestInit): ExchangeRequest {
  return {
    method,
    url,
    hasToken: new Headers(headers).has('authorization'),
    json: typeof body === 'string' ? body : undefined,
    form: body instanceof URLSearchParams ? [...body] : undefined,
  };
}

function formatBody(text: string): string {
  try {
    const value = JSON.parse(text, (name, part: unknown) =>
      name === 'access_token' ? `${String(part).slice(0, 24)}…` : part,
    ) as unknown;
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}
