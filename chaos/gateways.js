/** Three gateways that misbehave on demand. What reaches them is noted, with the code in the text. */
import { once } from 'node:events';
import { createServer } from 'node:http';

function referenceIn(callbackUrl) {
  return new URL(callbackUrl).searchParams.get('message');
}

/** How each gateway's request is read and answered. */
const protocols = {
  twilio: {
    read: (body) => {
      const form = new URLSearchParams(body);
      return { phone: form.get('To'), text: form.get('Body'), reference: referenceIn(form.get('StatusCallback')) };
    },
    answer: (number) => [201, { sid: `SM${number}`, status: 'queued' }],
  },
  infobip: {
    read: (body) => {
      const [message] = JSON.parse(body).messages;
      const reference = referenceIn(message.webhooks.delivery.url);
      return { phone: `+${message.destinations[0].to}`, text: message.content.text, reference };
    },
    answer: (number) => [200, { messages: [{ messageId: `ib${number}`, status: { groupId: 1, name: 'PENDING' } }] }],
  },
  webhook: {
    read: (body) => {
      const { data } = JSON.parse(body);
      return { phone: data.phoneNumber, text: data.text, reference: data.reference };
    },
    answer: (number) => [200, { id: `wh${number}` }],
  },
};

/**
 * What a gateway does with a request. `delivers`: whether the text reaches the phone; 'perhaps' is decided by chance.
 * Anything but `refuse` may have delivered, as far as the service can know.
 */
export const behaviours = {
  accept: { delivers: true },
  hang: { delivers: 'perhaps' },
  reset: { delivers: 'perhaps' },
  late: { delivers: true },
  twice: { delivers: true },
  half: { delivers: true },
  refuse: { delivers: false },
};

const lateMilliseconds = 4000;

export async function startGateways(history, random) {
  const gateways = await Promise.all(Object.keys(protocols).map((name) => startGateway(name, history, random.fork())));
  return {
    all: gateways,
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    },
  };
}

async function startGateway(name, history, random) {
  const { read, answer } = protocols[name];
  let behaviour = 'accept';
  let answers = 0;

  async function handle(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { phone, text, reference } = read(Buffer.concat(chunks).toString());
    const current = behaviour;
    const { delivers } = behaviours[current];
    const isDelivered = delivers === 'perhaps' ? random.isTrue(0.5) : delivers;
    // The notice to a number that was replaced has none.
    const code = /\b\d{6}\b/.exec(text)?.[0];
    // The service's own name of the text begins with the user and the number of the code.
    const [userId, codeNumber] = reference.split('.').map(Number);
    const note = () =>
      code &&
      history.addText({
        ...{ gateway: name, behaviour: current, phone, userId, codeNumber, code, isDelivered },
        // Each confirmation has an amount of its own, which its text names.
        amount: /([\d,.]+) EUR/.exec(text)?.[1].replaceAll(',', ''),
      });
    note();
    if (current === 'twice') note();
    if (current === 'hang') return;
    if (current === 'reset') return void request.socket.resetAndDestroy();
    if (current === 'late') await new Promise((resolve) => setTimeout(resolve, lateMilliseconds));
    answers += 1;
    const [status, json] = current === 'refuse' ? [503, {}] : answer(answers);
    const body = JSON.stringify(json);
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    if (current === 'half') {
      response.writeHead(status, head).write(body.slice(0, body.length / 2));
      return void setTimeout(() => request.socket.destroy(), 20);
    }
    response.writeHead(status, head).end(body);
    // The second answer comes without a request.
    if (current === 'twice') {
      request.socket.write(`HTTP/1.1 ${status} OK\r\ncontent-length: ${head['content-length']}\r\n\r\n${body}`);
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name,
    port: server.address().port,
    behave(next) {
      behaviour = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
