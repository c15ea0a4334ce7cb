/**
 * The load generator: plain sockets, prepared requests, answers parsed only for their length and status.
 * Options as JSON on standard input, figures as JSON on standard output.
 *   url, connections, seconds | requests (each sent once), rate (a second, open loop) | nothing (as fast as it goes),
 *   dropsLate: at a rate, a request whose time comes while no connection is free is not sent, and counts as dropped,
 *   skipSeconds: what is answered before is left out of the figures,
 *   paths, bodies, headers, addresses (for X-Forwarded-For); with several paths, bodies or addresses they are taken in turn.
 */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const options = JSON.parse(await text(process.stdin));
const { hostname, port } = new URL(options.url);
const {
  connections = 1,
  seconds,
  skipSeconds = 0,
  rate,
  dropsLate = false,
  paths = ['/'],
  bodies = [''],
  headers = {},
  addresses,
} = options;
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

/** Latencies by status. */
const latencies = {};
let next = 0;
let answered = 0;
let dropped = 0;

class Connection {
  #socket;
  #rest = Buffer.alloc(0);
  #sentAt = 0;
  #done;

  async open() {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
    this.#socket.on('data', (chunk) => this.#receive(chunk));
  }

  send(index, scheduled, done) {
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
    const now = performance.now();
    if (now >= countFrom) (latencies[status] ??= []).push(now - this.#sentAt);
    answered += 1;
    this.#done();
  }

  close() {
    this.#socket.destroy();
  }
}

const open = Array.from({ length: connections }, () => new Connection());
for (const connection of open) await connection.open();
// The time that the connections take to open is no latency.
const started = performance.now();
const stopAt = seconds ? started + seconds * 1000 : Infinity;
const countFrom = started + skipSeconds * 1000;

if (rate && dropsLate) await atRateOrNever();
else if (rate) await atRate();
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
  /** Connections without a request. */
  const idle = [...open];
  let sent = 0;
  const dispatch = () => {
    while (waiting.length > 0) {
      const connection = idle.pop();
      if (!connection) return;
      connection.send(next++, waiting.shift(), () => {
        idle.push(connection);
        dispatch();
      });
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

/** For more than the service can take: what is measured is the service, not the queue in front of it. */
async function atRateOrNever() {
  const idle = [...open];
  let due = 0;
  while (performance.now() < stopAt) {
    const before = due;
    due = Math.floor(((performance.now() - started) / 1000) * rate);
    for (let number = before; number < due; number += 1) {
      const connection = idle.pop();
      if (connection) connection.send(next++, performance.now(), () => idle.push(connection));
      else dropped += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (answered < next) await new Promise((resolve) => setTimeout(resolve, 5));
}

const counted = elapsed - skipSeconds;
const all = figuresOf(Object.values(latencies).flat());
console.log(
  JSON.stringify({
    ...all,
    dropped,
    statuses: Object.fromEntries(Object.entries(latencies).map(([status, each]) => [status, each.length])),
    byStatus: Object.fromEntries(Object.entries(latencies).map(([status, each]) => [status, figuresOf(each)])),
  }),
);

function figuresOf(each) {
  each.sort((a, b) => a - b);
  const at = (share) => Math.round(each[Math.min(each.length - 1, Math.floor(each.length * share))] * 1000) / 1000;
  return { requests: each.length, perSecond: each.length / counted, p50: at(0.5), p99: at(0.99) };
}
