/**
 * The load generator: plain sockets, prepared requests, answers parsed only for their length and status.
 * Options as JSON on standard input, figures as JSON on standard output.
 *   url, connections, seconds | requests (each sent once), rate (a second, open loop) | nothing (as fast as it goes),
 *   paths, bodies, headers, addresses (for X-Forwarded-For); with several paths, bodies or addresses they are taken in turn.
 */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const options = JSON.parse(await text(process.stdin));
const { hostname, port } = new URL(options.url);
const { connections = 1, seconds, rate, paths = ['/'], bodies = [''], headers = {}, addresses } = options;
const once = options.requests === 'each';
const most = once ? Math.max(paths.length, bodies.length) : Infinity;

const lines = Object.entries({ host: `${hostname}:${port}`, ...headers })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
function request(index) {
  const body = bodies[index % bodies.length];
  const forwarded = addresses ? `x-forwarded-for: ${addresses[index % addresses.length]}\r\n` : '';
  return `POST ${paths[index % paths.length]} HTTP/1.1\r\n${lines}${forwarded}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const latencies = [];
const statuses = {};
let next = 0;
let answered = 0;
const started = performance.now();
const stopAt = seconds ? started + seconds * 1000 : Infinity;

class Connection {
  #socket;
  #rest = Buffer.alloc(0);
  #sentAt = 0;
  #done;
  idle = true;

  async open() {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
    this.#socket.on('data', (chunk) => this.#receive(chunk));
  }

  send(index, scheduled, done) {
    this.idle = false;
    this.#sentAt = scheduled;
    this.#done = done;
    this.#socket.write(request(index));
  }

  #receive(chunk) {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = data.indexOf('\r\n\r\n');
    if (end < 0) return void (this.#rest = data);
    const head = data.latin1Slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (data.length < end + 4 + length) return void (this.#rest = data);
    this.#rest = Buffer.alloc(0);
    const status = head.slice(9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.push(performance.now() - this.#sentAt);
    answered += 1;
    this.idle = true;
    this.#done();
  }

  close() {
    this.#socket.destroy();
  }
}

const open = Array.from({ length: connections }, () => new Connection());
for (const connection of open) await connection.open();

if (rate) await atRate();
else await Promise.all(open.map(asFastAsItGoes));
const elapsed = (performance.now() - started) / 1000;
open.forEach((connection) => connection.close());

function asFastAsItGoes(connection) {
  return new Promise((resolve) => {
    const step = () => {
      if (next >= most || performance.now() >= stopAt) return resolve();
      connection.send(next++, performance.now(), step);
    };
    step();
  });
}

/** Each request has a scheduled time. If no connection is free it waits, and the wait counts as latency. */
async function atRate() {
  const waiting = [];
  let sent = 0;
  const dispatch = () => {
    while (waiting.length > 0) {
      const connection = open.find(({ idle }) => idle);
      if (!connection) return;
      connection.send(next++, waiting.shift(), dispatch);
    }
  };
  while (performance.now() < stopAt) {
    const due = Math.floor(((performance.now() - started) / 1000) * rate);
    while (sent < due) {
      waiting.push(started + (sent / rate) * 1000);
      sent += 1;
    }
    dispatch();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (answered < sent) await new Promise((resolve) => setTimeout(resolve, 5));
}

latencies.sort((a, b) => a - b);
const at = (share) =>
  Math.round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] * 1000) / 1000;
console.log(
  JSON.stringify({ requests: answered, perSecond: answered / elapsed, p50: at(0.5), p99: at(0.99), statuses }),
);
