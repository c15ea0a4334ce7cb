/** The smallest possible server: node:http, the driver and the service's own statements. */
import { createServer } from 'node:http';
import { shareConnections } from '../dist/db/database.js';
import { createCodesStore } from '../dist/codes/codes.store.js';
import { createPhoneStore } from '../dist/phone/phone.store.js';
import { createInboxStore } from '../dist/sandbox/inbox.store.js';
import { matchParameters } from '../dist/transactions/list/row-matches.js';
import { filteredListStatement, listStatement } from '../dist/transactions/transactions.store.js';
import { openConnections } from './connection.js';
import { reserveAttempt, reserveSend } from './phone-calls.js';

const shares = shareConnections(16);
const byKey = { enable_seqscan: 'off' };
const read = await openConnections(process.argv[2], shares.read, byKey);
const write = await openConnections(process.argv[2], shares.write, byKey);
const everyRow = 2_147_483_647;
const run = (sql, statement, parameters) => sql.unsafe(statement, parameters, { prepare: true });
const phones = createPhoneStore({ read, write });
const codes = createCodesStore({ write });
const inbox = createInboxStore({ read, write, isDistributed: false }, Buffer.alloc(32), Number);

const routes = {
  async list([id]) {
    const [row] = await run(read, listStatement, [id, 20, 0, everyRow]);
    return `{"transactions":[${row.page}],"transactionCount":${row.count}}`;
  },
  /** The obvious statement: OFFSET and COUNT over all rows. */
  async plain([query]) {
    const { id, offset, timestampFrom = '0001-01-01', timestampTo = '9999-12-31', ...filter } = JSON.parse(query);
    const folded = Object.fromEntries(Object.entries(filter).map(([name, text]) => [name, text.toLowerCase()]));
    const parameters = [timestampFrom, timestampTo, ...matchParameters(folded)];
    const [row] = await run(read, filteredListStatement, [id, 20, offset, everyRow, ...parameters, everyRow]);
    return `{"transactions":[${row.page ?? ''}],"transactionCount":${row.count}}`;
  },
  async send([id, phone]) {
    await reserveSend(phones, codes, Number(id), phone, new Date());
    await inbox.add(id, { phoneNumber: phone, text: 'Your code is 123456.', code: '123456', sentAt: new Date() });
  },
  async verify([id, phone]) {
    await reserveAttempt(phones, Number(id), phone, new Date());
  },
  /** What it costs any server to say no. */
  async refuse() {
    throw { code: 'busy' };
  },
};

const server = createServer(async (request, response) => {
  const [, name, ...parameters] = request.url.split('/').map(decodeURIComponent);
  request.resume();
  const { status, body } = await routes[name](parameters).then(
    (answer) => ({ status: 200, body: answer ?? '' }),
    // A statement that takes too long is ended by the database.
    (error) => ({ status: 503, body: String(error.code) }),
  );
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
});
// As the service. A connection that closes while a request is on its way would never be answered.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
