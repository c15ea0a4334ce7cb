/** Every call of the page as it went over the wire, and as curl would make it. */

export interface Exchange {
  id: number;
  method: string;
  path: string;
  curl: string;
  status: number;
  /** Headers that a client acts on. */
  headers: string[];
  body: string;
}

const toldHeaders = ['retry-after', 'error-reason', 'www-authenticate'];

/** `fetch` that tells about each call. */
export function recordingFetch(tell: (exchange: Exchange) => void): typeof fetch {
  let count = 0;
  return async (input, init = {}) => {
    const url = new URL(String(input), location.origin);
    const response = await fetch(url, init);
    const text = await response.clone().text();
    count += 1;
    tell({
      id: count,
      method: init.method ?? 'GET',
      path: url.pathname + url.search,
      curl: curlOf(url, init),
      status: response.status,
      headers: toldHeaders.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [`${name}: ${value}`];
      }),
      body: pretty(text),
    });
    return response;
  };
}

function curlOf(url: URL, { method = 'GET', headers, body }: RequestInit): string {
  if (url.pathname === '/connect/token') return tokenCurl(url, body as URLSearchParams);
  const parts = [`curl -i ${method === 'POST' && body ? '' : `-X ${method} `}${url.href}`.replace('-X GET ', '')];
  const sent = new Headers(headers);
  if (sent.has('authorization')) parts.push(`-H "Authorization: Bearer $TOKEN"`);
  if (typeof body === 'string')
    parts.push(`-H 'Content-Type: application/json'`, `-d '${body.replaceAll("'", `'\\''`)}'`);
  return parts.join(' \\\n  ');
}

/** Into the variable that the other calls use. */
function tokenCurl(url: URL, form: URLSearchParams): string {
  const fields = [...form].map(([name, value]) => `-d ${name}=${value}`).join(' \\\n  ');
  return `TOKEN=$(curl -s ${url.href} \\\n  ${fields} \\\n  | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`;
}

function pretty(text: string): string {
  try {
    const value = JSON.parse(text, (name, part: unknown) =>
      name === 'access_token' ? `${String(part).slice(0, 24)}…` : part,
    ) as unknown;
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}
