/** A bare loop of signed POSTs, so many in flight: the limit for the delivery of webhooks in one process. */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';

const [url, countText, inFlightText] = process.argv.slice(2);
const inFlight = Number(inFlightText);
const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
const key = Buffer.alloc(32, 7);
let left = Number(countText);

function post(id) {
  const at = new Date();
  const body = JSON.stringify({ id, type: 'user.created', timestamp: at.toISOString(), data: { userId: left } });
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => response.resume().on('end', resolve));
    sent.on('error', reject).end(body);
  });
}

async function work() {
  while (left > 0) {
    left -= 1;
    await post(`01980d5c-4f7a-7c3e-9a51-${String(left).padStart(12, '0')}`);
  }
}

const begun = performance.now();
await Promise.all(Array.from({ length: inFlight }, work));
process.send({ seconds: (performance.now() - begun) / 1000 });
process.disconnect();
