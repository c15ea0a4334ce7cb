/**
 * The list behind Fastify: the same statement, with the same work around it as in the service: a token that is
 * verified once and then remembered, a schema for the body, a scope, a log line and a metric for each request, and
 * problem details for errors.
 *   node bench/fastify-server.js DATABASE_URL ISSUER_URL LOG_FILE
 */
import { createWriteStream } from 'node:fs';
import fastify, { LogController } from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Histogram, Registry } from 'prom-client';
import { shareConnections } from '../dist/db/database.js';
import { listStatement } from '../dist/transactions/transactions.store.js';
import { openConnections } from './connection.js';

const [databaseUrl, issuerUrl, logFile] = process.argv.slice(2);
const read = await openConnections(databaseUrl, shareConnections(16).read);
const everyRow = 2_147_483_647;

const durations = new Histogram({
  name: 'request_duration_seconds',
  help: 'Time to answer a request.',
  labelNames: ['operation', 'status'],
  registers: [new Registry()],
});

const keys = createRemoteJWKSet(new URL(`${issuerUrl}/.well-known/jwks.json`));
const verified = new Map();

async function callerOf(header = '') {
  const token = header.startsWith('Bearer ') ? header.slice(7) : '';
  const known = verified.get(token);
  if (known && Date.now() < known.expiresAt) return known;
  const { payload } = await jwtVerify(token, keys, { issuer: issuerUrl, audience: 'ledgerline' });
  const caller = {
    client: payload.client_id,
    scopes: new Set(payload.scope.split(' ')),
    expiresAt: payload.exp * 1000,
  };
  verified.set(token, caller);
  return caller;
}

const app = fastify({
  logger: { level: 'info', stream: createWriteStream(logFile) },
  logController: new LogController({ disableRequestLogging: true }),
  bodyLimit: 1024 * 1024,
});

app.addHook('onRequest', async (request, reply) => {
  try {
    request.caller = await callerOf(request.headers.authorization);
  } catch {
    return reply.code(401).header('www-authenticate', 'Bearer').send();
  }
  if (!request.caller.scopes.has('transactions:read')) return reply.code(403).send();
});

app.addHook('onResponse', (request, reply, done) => {
  const milliseconds = reply.elapsedTime;
  durations.labels('get-all-transactions', String(reply.statusCode)).observe(milliseconds / 1000);
  const { client } = request.caller ?? {};
  request.log.info({ method: request.method, status: reply.statusCode, milliseconds, client }, 'request');
  done();
});

app.setErrorHandler((error, request, reply) => {
  const status = error.validation ? 400 : (error.statusCode ?? 500);
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .send({ title: error.message, status, traceId: request.id });
});

const text = { type: ['string', 'null'] };
app.post('/app/get-all-transactions', {
  schema: {
    body: {
      type: 'object',
      required: ['individualId', 'dataBatch'],
      properties: {
        individualId: { type: 'integer', minimum: 1, maximum: everyRow },
        dataBatch: { type: 'integer', minimum: 1, maximum: everyRow },
        dataBatchCount: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
        ...Object.fromEntries(
          [
            'timestampFrom',
            'timestampTo',
            'amountFrom',
            'amountTo',
            'transactionType',
            'currency',
            'search',
            'asOf',
          ].map((name) => [name, text]),
        ),
      },
    },
  },
  async handler({ body: { individualId, dataBatch, dataBatchCount } }, reply) {
    const parameters = [individualId, dataBatchCount, (dataBatch - 1) * dataBatchCount, everyRow];
    const [row] = await read.unsafe(listStatement, parameters, { prepare: true }).execute();
    return reply
      .type('application/json; charset=utf-8')
      .send(`{"transactions":[${row.page}],"transactionCount":${row.count}}`);
  },
});

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => process.exit(0));
