/** A page for a person who followed a wrong link. Programs, which do not ask for HTML, get problem details. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Reply } from './operation.ts';

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.5rem}';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Page not found · Ledgerline</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>There is no page at this address</h1>
      <p>Check the address for typing errors, or look in the <a href="/docs">documentation</a>, which lists all operations.</p>
    </main>
  </body>
</html>
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Browsers name HTML when they open a page; `fetch` and other programs accept anything. */
export function notFoundPage({ method, headers }: IncomingMessage, reply: Reply): Reply {
  if ((method !== 'GET' && method !== 'HEAD') || !headers.accept?.includes('text/html')) return reply;
  return {
    ...reply,
    body: page,
    contentType: 'text/html; charset=utf-8',
    headers: { ...reply.headers, vary: 'accept', 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  };
}
