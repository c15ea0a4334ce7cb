/** Stands between the service and PostgreSQL, and notes the statements that are executed, as the protocol carries them. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface StatementLog {
  /** The address of the database behind it. */
  url: string;
  /** The texts of the statements, in the order in which they were executed. */
  statements: string[];
}

export async function statementLog(databaseUrl: string): Promise<StatementLog> {
  const statements: string[] = [];
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const note = reader((text) => statements.push(text));
    client.on('data', note);
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => client.destroy());
      socket.on('close', () => [client, database].forEach((each) => each.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Nothing can be read from an encrypted connection, and a Citus encrypts them.
  url.searchParams.set('sslmode', 'disable');
  return { url: url.href, statements };
}

/**
 * Reads the messages of a client: Query (Q), Parse (P), which gives a text a name, and Bind (B), which executes the text
 * of a name. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function reader(onStatement: (text: string) => void): (chunk: Buffer) => void {
  const texts = new Map<string, string>();
  let rest = Buffer.alloc(0);
  let hasStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The first messages have no letter; a request for TLS would come before the start.
      const head = hasStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = rest.readUInt32BE(head);
      if (rest.length < head + length) return;
      const body = rest.subarray(head + 4, head + length);
      const letter = hasStarted ? String.fromCharCode(rest[0]!) : '';
      if (!hasStarted) hasStarted = body.readUInt32BE(0) === 196_608;
      rest = rest.subarray(head + length);
      if (letter === 'Q') onStatement(stringsOf(body, 1)[0]!);
      const [first = '', second = ''] = letter === 'P' || letter === 'B' ? stringsOf(body, 2) : [];
      if (letter === 'P') texts.set(first, second);
      // The portal, then the statement.
      if (letter === 'B') onStatement(texts.get(second) ?? '');
    }
  };
}

function stringsOf(body: Buffer, count: number): string[] {
  const found: string[] = [];
  let start = 0;
  for (let index = 0; index < count; index += 1) {
    const end = body.indexOf(0, start);
    found.push(body.toString('utf8', start, end));
    start = end + 1;
  }
  return found;
}
