/** A request over node:http: with any Host, an agent of its own, and an answer that is not unpacked. */
import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { checkReceived } from './checked-answers.ts';

export interface HttpAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

type HttpOptions = Omit<RequestOptions, 'headers'> & {
  headers?: Record<string, string>;
  body?: string | Uint8Array | undefined;
};

/** Reads the whole answer, which is checked as those of `fetch` are. */
export async function httpRequest(url: string, { body, headers, ...options }: HttpOptions = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    // Otherwise a DELETE would be sent without its body.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { ...options, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const received = checkHttpAnswer(url, outgoing, response, unpacked(bytes, response).toString());
        resolve({ status: response.statusCode!, headers: received, bytes });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

function unpacked(bytes: Buffer, { headers }: IncomingMessage): Buffer {
  const encoding = bytes.length > 0 ? headers['content-encoding'] : undefined;
  return encoding === 'gzip' ? gunzipSync(bytes) : encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
}

/** Returns the headers. For a test that sends its request in parts; without a text only status and headers are checked. */
export function checkHttpAnswer(
  url: string,
  outgoing: ClientRequest,
  response: IncomingMessage,
  text?: string,
): Headers {
  const headers = new Headers();
  const { rawHeaders } = response;
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  checkReceived(url, { method: outgoing.method, status: response.statusCode!, headers, text });
  return headers;
}
