/** Draws requests: an operation, a token of some kind, and a body, query, path and headers that may be wrong. */
import { createValues, mutateBytes, mutateValue, oddValues } from './values.js';

/** These change what all other requests stand on, or take very long, so they come seldom. */
const seldom = new Map([
  ['DELETE /sandbox/data', 0.01],
  ['DELETE /sandbox/clock', 0.05],
  ['POST /sandbox/clock', 0.2],
  ['DELETE /User/{id}', 0.3],
  ['POST /app/statement', 0.05],
  ['GET /docs', 0.1],
  ['GET /', 0.1],
  ['GET /wallet', 0.1],
  ['GET /console', 0.1],
]);

const mediaTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
  'TEXT/JSON',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  '',
];

const headerNames = [
  'accept',
  'idempotency-key',
  'x-forwarded-for',
  'traceparent',
  'range',
  'expect',
  'last-event-id',
  'origin',
  'accept-language',
];

export function createRequests({ document, random, known, tokens }) {
  const values = createValues(document, random, known);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
      weight: seldom.get(`${method.toUpperCase()} ${path}`) ?? 1,
    })),
  );

  function drawBody({ operation, name }) {
    const content = operation.requestBody?.content;
    if (name === 'POST /connect/token') return drawForm();
    if (!content) return random.isTrue(0.1) ? { type: random.pick(mediaTypes), body: Buffer.from('{"a":1}') } : {};
    const [type, { schema }] = random.pick(Object.entries(content));
    let value = values.validValue(schema);
    for (let times = random.pick([0, 0, 1, 1, 2, 5]); times > 0; times -= 1) value = mutateValue(value, random);
    const isLines = type.includes('ndjson');
    const rows = isLines ? (Array.isArray(value) ? value : [value, value]) : undefined;
    let body = Buffer.from(isLines ? rows.map((row) => JSON.stringify(row)).join('\n') : (JSON.stringify(value) ?? ''));
    if (random.isTrue(0.15)) body = mutateBytes(body, random);
    if (random.isTrue(0.01)) body = Buffer.from('['.repeat(random.integer(1, 100_000)));
    if (random.isTrue(0.005)) body = Buffer.from(`{"transactions":[${'0,'.repeat(random.integer(1, 20_000))}0]}`);
    return { type: random.isTrue(0.05) ? random.pick(mediaTypes) : type, body };
  }

  function drawForm() {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sandbox',
      client_secret: 'sandbox',
    });
    for (const member of ['grant_type', 'client_id', 'client_secret', 'scope', 'user_id']) {
      if (random.isTrue(0.15)) form.set(member, String(random.pick(oddValues)).slice(0, 5000));
    }
    let body = Buffer.from(form.toString());
    if (random.isTrue(0.2)) body = mutateBytes(body, random);
    return { type: random.isTrue(0.1) ? random.pick(mediaTypes) : 'application/x-www-form-urlencoded', body };
  }

  function drawPath({ path, operation }) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const value = random.isTrue(0.8) ? values.validValue({ type: 'integer' }, name) : random.pick(oddValues);
      return encodeURIComponent(
        String(value)
          .slice(0, 200)
          .replaceAll(/[\uD800-\uDFFF]/g, '?'),
      );
    });
    const query = new URLSearchParams();
    for (const { name, in: place, schema } of operation.parameters ?? []) {
      if (place !== 'query' || random.isTrue(0.4)) continue;
      const value = random.isTrue(0.75) ? values.validValue(schema, name) : random.pick(oddValues);
      query.append(name, String(value).slice(0, 3000));
      if (random.isTrue(0.05)) query.append(name, 'again');
    }
    const text = query.toString();
    let address = text === '' ? filled : `${filled}?${text}`;
    if (random.isTrue(0.03)) address += random.pick(['/', '//', '?', '%', '%00', '?a=%ff', '/..', ';x', '#']);
    if (random.isTrue(0.02)) address = address.toUpperCase();
    return address;
  }

  function drawHeaders(token, type, body) {
    const headers = {};
    if (token !== undefined) headers.authorization = token;
    if (type !== undefined && type !== '') headers['content-type'] = type;
    if (body) headers['content-length'] = body.length;
    if (random.isTrue(0.1)) {
      const value = String(random.pick(oddValues))
        .replaceAll(/[^\x20-\x7E]/g, '?')
        .slice(0, 4000);
      headers[random.pick(headerNames)] = value;
    }
    // Node waits for the go-ahead before it sends the body; a client that does so is a test of its own.
    if (headers.expect === '100-continue') delete headers.expect;
    if (random.isTrue(0.1)) headers.accept = random.pick(['text/csv', 'application/x-ndjson', 'image/png', '*/*;q=0']);
    return headers;
  }

  return {
    operationCount: operations.length,
    draw() {
      const drawn = random.pickWeighted(operations);
      const { type, body } = drawBody(drawn);
      const method = random.isTrue(0.02)
        ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
        : drawn.method;
      const isBodiless = method === 'GET' || method === 'HEAD';
      const token = random.pick(random.isTrue(0.75) ? [tokens.all] : tokens.others);
      return {
        name: drawn.name,
        method,
        path: drawPath(drawn),
        headers: drawHeaders(token, type, isBodiless ? undefined : body),
        body: isBodiless ? undefined : body,
      };
    },
  };
}
