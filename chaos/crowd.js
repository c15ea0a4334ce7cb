/** The users: they send, verify, record and list through both services, and note every answer. */
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChange } from './changes.js';
import { createConfirm } from './confirmations.js';
import { client } from './services.js';

/** A request that takes longer has hung. */
export const hangMilliseconds = 60_000;

const phoneLanes = 8;
const ledgerLanes = 4;
const unansweredMilliseconds = 200;
const rowsOfIndividual = 400;
const roundsOfUser = 8;

/** `pauseMilliseconds` is how long a user waits between two calls. */
export function createCrowd(world, random, pauseMilliseconds) {
  let isStopping = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  let nextUser = 0;
  let nextPhone = 0;
  let nextRow = 0;
  let token;
  /** An individual with rows. */
  let stocked;

  function send(service, { method = 'POST', path, headers = {}, body }) {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { agent, host: '127.0.0.1', port: world.services[service].http.port, method, path, headers },
        (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', () => resolve({ response, text: Buffer.concat(chunks).toString() }));
          response.on('error', reject);
          response.on('aborted', () => reject(new Error('aborted')));
        },
      );
      request.setTimeout(hangMilliseconds, () => request.destroy(new Error('hang')));
      request.on('error', reject);
      request.end(body);
    });
  }

  async function refreshToken(service) {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: client.secret,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { text } = await send(service, { path: '/connect/token', headers, body: form.toString() });
    token = JSON.parse(text).access_token;
  }

  /** One call, noted. A token that the clock has outrun is replaced. */
  async function call(operation, service, path, json, { note = {}, headers = {}, method = 'POST' } = {}) {
    for (let attempt = 0; ; attempt += 1) {
      const entry = await world.history.addCall({ operation, service, ...note }, async () => {
        if (!token) await refreshToken(service);
        const { response, text } = await send(service, {
          method,
          path,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
          body: typeof json === 'string' ? json : JSON.stringify(json),
        });
        const { location, 'error-reason': reason } = response.headers;
        const asOf = response.headers['as-of'];
        // A 204 without it says that the user is verified already, and that nothing was sent.
        const isCodeSent = response.headers['code-length'] !== undefined;
        return {
          status: response.statusCode,
          ...(reason && { reason }),
          ...(asOf && { asOf }),
          ...(location && { location }),
          ...(isCodeSent && { isCodeSent }),
          answer: text,
        };
      });
      const { answer } = entry;
      // The history would hold every page that was ever listed.
      delete entry.answer;
      // A service that is down answers nobody; asking it all the time would only keep it from starting.
      if (entry.status === 0) await sleep(unansweredMilliseconds);
      if (entry.status !== 401 || attempt > 0) return { ...entry, entry, json: parsed(answer) };
      token = undefined;
    }
  }

  const anyService = (drawn) => drawn.integer(0, world.services.length - 1);

  async function createUser(drawn) {
    nextUser += 1;
    const id = nextUser;
    while (!isStopping) {
      const { status, reason } = await call(
        'create user',
        anyService(drawn),
        '/User',
        { id },
        { note: { userId: id } },
      );
      if (status === 201 || reason === 'user-exists') return id;
      await sleep(200);
    }
    return id;
  }

  async function phoneLane(drawn) {
    let phone;
    while (!isStopping) {
      const userId = await createUser(drawn);
      // Sometimes two users want the same phone: only one can have it.
      if (!phone || !drawn.isTrue(0.1)) {
        nextPhone += 1;
        phone = `+4474${String(nextPhone).padStart(8, '0')}`;
      }
      for (let round = 0; round < roundsOfUser && !isStopping; round += 1) {
        if (await sendAndVerify(drawn, userId, phone)) break;
      }
      for (let round = 0; round < roundsOfUser / 2 && !isStopping; round += 1) {
        if (await confirmOnce(drawn, userId)) break;
      }
      for (let round = 0; round < roundsOfUser / 2 && !isStopping; round += 1) {
        if (await changeOnce(drawn, userId)) break;
      }
    }
  }

  /** Whether this user is done: verified, refused, or out of budget. */
  async function sendAndVerify(drawn, userId, phone) {
    const headers = drawn.isTrue(0.3) ? { 'idempotency-key': `${userId}-${drawn.integer(1, 1_000_000)}` } : {};
    const sendOnce = () =>
      call(
        'send',
        anyService(drawn),
        '/User/phone-number/send-code',
        { id: userId, phoneNumber: phone },
        { note: { userId, phone, key: headers['idempotency-key'] }, headers },
      );
    let sent = await sendOnce();
    if (headers['idempotency-key'] && (sent.status === 0 || sent.status === 503)) sent = await sendOnce();
    await sleep(pauseMilliseconds);
    if (sent.status === 400 || (sent.status === 204 && !sent.isCodeSent)) return true;
    const text = newestText(userId);
    if (!text) return sent.status === 429;
    const code = drawn.isTrue(0.15) ? String((Number(text.code) + 1) % 1_000_000).padStart(6, '0') : text.code;
    const verify = (service) =>
      call('verify', service, '/User/phone-number/verify', { id: userId, code }, { note: { userId, phone, code } });
    const answers = drawn.isTrue(0.2) ? await Promise.all([verify(0), verify(1)]) : [await verify(anyService(drawn))];
    await sleep(pauseMilliseconds);
    return answers.some(({ status }) => status === 200) || sent.status === 429;
  }

  const confirmOnce = createConfirm({ world, call, anyService, pauseMilliseconds });
  const changeOnce = createChange({ world, call, anyService, pauseMilliseconds });

  function newestText(userId) {
    const texts = world.history.textsOf(userId).filter(({ isDelivered }) => isDelivered);
    return texts.reduce((best, text) => (!best || text.codeNumber >= best.codeNumber ? text : best), undefined);
  }

  async function ledgerLane(drawn) {
    while (!isStopping) {
      const individualId = await createUser(drawn);
      const acknowledged = new Set();
      const reader = { individualId, cursor: undefined, found: new Set() };
      let batch;
      while (!isStopping && acknowledged.size < rowsOfIndividual) {
        // What was not answered is sent again: it must not be stored twice.
        batch ??= drawRows(drawn, individualId);
        if (await record(drawn, individualId, batch, acknowledged)) batch = undefined;
        if (acknowledged.size > rowsOfIndividual / 2) stocked = individualId;
        await sleep(pauseMilliseconds);
        if (drawn.isTrue(0.5)) await list(drawn, individualId, acknowledged);
        if (drawn.isTrue(0.3)) await sync(drawn, reader, acknowledged);
      }
    }
  }

  function drawRows(drawn, individualId) {
    return Array.from({ length: drawn.integer(1, 20) }, () => {
      nextRow += 1;
      return {
        individualId,
        transactionId: `r${nextRow}`,
        amount: `${drawn.integer(1, 9999)}.25`,
        currency: 'EUR',
        timeStamp: new Date(1_760_000_000_000 + drawn.integer(0, 30_000_000) * 1000).toISOString(),
        transactionStatus: 'Accepted',
      };
    });
  }

  async function record(drawn, individualId, rows, acknowledged) {
    const isNdjson = drawn.isTrue(0.3);
    const body = isNdjson ? rows.map((row) => JSON.stringify(row)).join('\n') : { transactions: rows };
    const headers = isNdjson ? { 'content-type': 'application/x-ndjson' } : {};
    world.history.noteRows(rows);
    const { status, json, entry } = await call('record', anyService(drawn), '/app/record-transactions', body, {
      note: { individualId, rows: rows.map(({ transactionId }) => transactionId) },
      headers,
    });
    if (status !== 200) return false;
    const results = isNdjson ? undefined : json.results.map(({ result }) => result);
    const isStored = isNdjson
      ? json?.totals && json.totals.created + json.totals.duplicate === rows.length
      : results.every((result) => result === 'created' || result === 'duplicate');
    entry.isStored = Boolean(isStored);
    if (isStored) for (const { transactionId } of rows) acknowledged.add(transactionId);
    return true;
  }

  /** Asks for a stream, reads none of it or only its start, and leaves. False if there is nothing to ask for. */
  /** A webhook receiver for a time. Whether it was there. */
  async function addReceiver(service, { host, milliseconds }) {
    const { status, json } = await call('add receiver', service, '/webhook-endpoints', { url: `https://${host}/` });
    if (status !== 201) return false;
    await sleep(milliseconds);
    const path = `/webhook-endpoints/${json.id}`;
    while (!isStopping) {
      const removed = await call('remove receiver', service, path, undefined, { method: 'DELETE' });
      if ([204, 404].includes(removed.status)) break;
      await sleep(200);
    }
    return true;
  }

  async function abandon(service, { path, milliseconds }) {
    if (!token || stocked === undefined) return false;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { port } = world.services[service].http;
    const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path, headers });
    const closed = new Promise((resolve) => request.once('close', resolve));
    // A service that is down, or that ends meanwhile, closes it too.
    request.on('response', (response) => response.pause().on('error', () => request.destroy()));
    request.on('error', () => request.destroy());
    request.end(JSON.stringify({ individualId: stocked }));
    await sleep(milliseconds);
    request.destroy();
    await closed;
    return true;
  }

  /** Opens connections that each send one byte of a body and then nothing, and closes them after a while. */
  async function sendSlowly(service, { path, sockets, milliseconds }) {
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`;
    const opened = Array.from({ length: sockets }, () =>
      connect(world.services[service].http.port, '127.0.0.1', function () {
        this.write(head);
      })
        // The service may close it earlier, which is right.
        .on('error', ignoreClosed)
        .resume(),
    );
    await sleep(milliseconds);
    for (const socket of opened) socket.destroy();
    return true;
  }

  /** Sends a part of a stream of rows, waits, and leaves. Rows that arrived may be stored or not. */
  async function cutImport(service, { rows, share, milliseconds }) {
    if (!token || stocked === undefined) return false;
    const drawn = random.fork();
    const sent = Array.from({ length: Math.ceil(rows / 20) }, () => drawRows(drawn, stocked)).flat();
    world.history.noteRows(sent);
    const text = sent.map((row) => `${JSON.stringify(row)}\n`).join('');
    const { port } = world.services[service].http;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
    const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: '/app/record-transactions', headers });
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.on('response', (response) => response.resume().on('error', () => request.destroy()));
    request.on('error', () => request.destroy());
    request.write(text.slice(0, Math.ceil(share * text.length)));
    await sleep(milliseconds);
    request.destroy();
    await closed;
    return true;
  }

  /** Sometimes the first page, sometimes all pages of one moment. */
  async function list(drawn, individualId, acknowledged) {
    const known = [...acknowledged];
    const isWhole = drawn.isTrue(0.3);
    const found = [];
    let asOf;
    for (let dataBatch = 1; ; dataBatch += 1) {
      const { status, json, entry } = await call(
        'list',
        anyService(drawn),
        '/app/get-all-transactions',
        { individualId, dataBatch, dataBatchCount: isWhole ? 150 : 20, ...(asOf && { asOf }) },
        { note: { individualId, known: known.length } },
      );
      if (status !== 200) return;
      asOf ??= entry.asOf;
      entry.count = json.transactionCount;
      found.push(...json.transactions.map(({ transactionId }) => transactionId));
      if (!isWhole) return;
      if (json.transactions.length < 150) {
        entry.isComplete = !asOf || found.length === json.transactionCount;
        entry.missing = known.filter((transactionId) => !found.includes(transactionId)).length;
        entry.doubled = found.length - new Set(found).size;
        return;
      }
    }
  }

  /** Goes on where it stopped, also after an answer that did not come. At the end it has every acknowledged row. */
  async function sync(drawn, reader, acknowledged) {
    const known = [...acknowledged];
    const { individualId } = reader;
    for (;;) {
      const { status, json, entry } = await call(
        'sync',
        anyService(drawn),
        '/app/sync-transactions',
        { individualId, count: drawn.integer(1, 50), ...(reader.cursor && { cursor: reader.cursor }) },
        { note: { individualId, known: known.length } },
      );
      if (status !== 200) return;
      const page = json.added.concat(json.modified).map(({ transactionId }) => transactionId);
      entry.doubled = page.length - new Set(page).size;
      for (const transactionId of page) reader.found.add(transactionId);
      reader.cursor = json.nextCursor;
      if (json.hasMore) continue;
      entry.missing = known.filter((transactionId) => !reader.found.has(transactionId)).length;
      return;
    }
  }

  const lanes = [
    ...Array.from({ length: phoneLanes }, () => phoneLane(random.fork())),
    ...Array.from({ length: ledgerLanes }, () => ledgerLane(random.fork())),
  ];

  return {
    call,
    createUser,
    abandon,
    addReceiver,
    sendSlowly,
    cutImport,
    newestText,
    newPhone() {
      nextPhone += 1;
      return `+4474${String(nextPhone).padStart(8, '0')}`;
    },
    async stop() {
      isStopping = true;
      await Promise.all(lanes);
      agent.destroy();
    },
  };
}

/** A connection that the service closed, or could not accept. */
function ignoreClosed() {}

/** The body as JSON; of lines of JSON the last one, which holds the totals. */
function parsed(text) {
  const line = (text ?? '').trim().split('\n').at(-1);
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}
