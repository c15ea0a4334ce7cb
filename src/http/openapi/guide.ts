/** The texts of the API reference that belong to no single operation. */
import { catalogue, type ErrorEntry } from '../../errors.ts';

/** The introduction of each tag, in the order of the reference. */
const tagIntroductions: Record<string, string> = {
  'Phone verification':
    'Send a one-time code by SMS, and check what the user typed. The headers `Code-Length` and `Code-Expires-In` of the send contain the length and the lifetime of the code. Only the newest code of a user counts.',
  Confirmations:
    'A code for one act of a user whose phone is verified: a payment, a new payee, a login. The code is bound to what the person agreed to, and the text names it. Your app or your back end creates a confirmation; your back end checks it with the terms that it is about to act on.',
  Users:
    'A user is a person who verifies a phone and owns transactions. The id that user creation returns is the `individualId` of the transactions.',
  Transactions:
    'Record what happened in a wallet, and read it: page by page, one by one, as totals, or as a file. Amounts are exact decimals. They are never negative; `transactionCategory` is the direction.',
  Events:
    'Everything that happened, in order. Read events with a cursor, or let the service send them to your webhook endpoints.',
  'Webhook endpoints':
    'Endpoints to which the service posts events, signed as [Standard Webhooks](https://www.standardwebhooks.com) describes. A delivery that fails is tried again for days. Below, *Webhooks* lists what is posted.',
  Tokens: 'The embedded token issuer: OAuth 2.0 client credentials. It is absent if the service trusts another issuer.',
  Sandbox:
    'Only in a sandbox, only from the same machine, and without a token: read the texts that would have been sent, and move the clock to see codes and limits expire.',
  Operator: 'For the people who run the service. The console uses these operations.',
  Gateways:
    'SMS gateways report the outcome of a text here. These operations are called by gateways, not by your program.',
  Health: 'For load balancers and monitoring. No token is needed.',
  Pages: 'The pages of the service. In production each of them is off unless it is enabled.',
  Reference: 'This reference, for people and for programs.',
};

/** A tag without an introduction comes last. */
export function describeTags(tags: Iterable<string>): { name: string; description?: string }[] {
  const order = Object.keys(tagIntroductions);
  const position = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...new Set(tags)]
    .toSorted((left, right) => position(left) - position(right))
    .map((name) => {
      const description = tagIntroductions[name];
      return { name, ...(description && { description }) };
    });
}

export const bearerAbout =
  'An access token from `POST /connect/token`, or from the issuer that the service trusts, in the header `Authorization: Bearer …`.';

export function guide(): string {
  return `Phone verification and wallet activity behind one bearer-token API.

## Authentication

Every operation says which scope it needs. Get a token for your client with its id and secret, and send it with each
request:

\`\`\`sh
URL=http://127.0.0.1:8080

curl $URL/connect/token \\
  -d grant_type=client_credentials \\
  -d client_id=sandbox \\
  -d client_secret=sandbox

TOKEN=…  # its access_token

curl -X POST $URL/User \\
  -H "Authorization: Bearer $TOKEN"
\`\`\`

A sandbox has the client \`sandbox\` with the secret \`sandbox\` and all scopes; this page asks for a token by itself.
In production the clients are configured, and \`expires_in\` says how long a token is valid.

An app or a browser must not hold your client’s secret. Give it a token that is bound to one user: your back end asks
for it with \`user_id\`, and the token can then read and change nothing but that user.

## Requests

Bodies are JSON. Member names match in any case, unknown members are ignored, and an optional member that is null
counts as absent. Times are UTC. A send or resend with an \`Idempotency-Key\` can be repeated without a second text.

## Errors

Every error has the header \`Error-Reason\`, a stable name to decide by. The body is a problem-details object (RFC 7807)
with \`type\`, \`title\`, \`status\`, \`traceId\` and mostly \`errors\`. A 401 and a 500 have no body. Every answer, also one
without an error, has the header \`Request-Id\`, which is the \`traceId\`: quote it when you ask for help. A 429 and a 503 say in \`Retry-After\` how many seconds to wait.

| Error-Reason | Status | When |
|---|---|---|
${errorRows().join('\n')}
`;
}

function errorRows(): string[] {
  return Object.entries<ErrorEntry>(catalogue).map(
    ([name, { status, when }]) => `| \`${name}\` | ${status} | ${when} |`,
  );
}
