/** A page of another origin that holds one of the elements, with a strict policy of its own. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { readdir, readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { reservePort } from '../reserve-port.ts';

/** An answer of the host's own back end. */
export interface HostAnswer {
  status: number;
  headers?: Record<string, string>;
  text?: string;
}

type Give = (body: string) => string | HostAnswer | Promise<HostAnswer>;

export interface HostPageOptions {
  /** The built script of the element, below dist/. */
  element: string;
  /** The content of the body. */
  body: string;
  /** A module script that runs after the element is defined. */
  script: string;
  /** A module script that runs before the element is defined. */
  before?: string;
  css?: string;
  /** The service that the page's policy lets it call. */
  serviceUrl: string;
  port: number;
  /** Answers of the host's own back end to a body, by path. */
  answers?: Record<string, Give>;
}

/** The address of a page that does not exist yet, so that a service can be told to allow it. */
export async function reserveOrigin(): Promise<{ port: number; origin: string }> {
  const port = await reservePort();
  return { port, origin: `http://127.0.0.1:${port}` };
}

export async function serveHostPage(options: HostPageOptions): Promise<void> {
  const { element, body, script, before = '', css = '', serviceUrl, port, answers = {} } = options;
  const built = new URL(`../../../dist/${element}`, import.meta.url);
  const elementScript = await readFile(built, 'utf8');
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bank</title>
<link rel="stylesheet" href="/host.css"><script type="module" src="/host.js"></script></head>
<body><main>${body}</main></body></html>`;
  const files: Record<string, [type: string, give: Give]> = {
    '/': ['text/html', () => html],
    '/host.css': ['text/css', () => css],
    '/host.js': ['text/javascript', () => `import '/before.js';\nimport '/element.js';\n${script}`],
    '/before.js': ['text/javascript', () => before],
    '/element.js': ['text/javascript', () => elementScript],
    '/favicon.ico': ['text/plain', () => ''],
  };
  // What the script loads later is beside it.
  for (const name of await readdir(new URL('.', built))) {
    const text = await readFile(new URL(name, built), 'utf8');
    if (name.endsWith('.js')) files[`/${name}`] = ['text/javascript', () => text];
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const address = request.url!.split('?')[0]!;
    const [type, give] = files[address] ?? ['text/plain', answers[address] ?? (() => '')];
    const given = await give(await textOf(request));
    const {
      status,
      headers = {},
      text = '',
    }: HostAnswer = typeof given === 'string' ? { status: 200, text: given } : given;
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('content-type', `${type}; charset=utf-8`);
    // What docs/web.md says a host page needs.
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${serviceUrl}`,
    );
    response.end(text);
  };
  const host = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => host.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void host.close());
}
