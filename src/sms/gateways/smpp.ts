/**
 * SMPP 3.4 as a transceiver: one session to the SMSC, made anew whenever it breaks. A session is never
 * mended: what waited in it is answered at once, and a fresh one is bound.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { splitSegments } from '../encoding.ts';
import {
  accepted,
  refused,
  throttled,
  unavailable,
  unknown,
  type Gateway,
  type Message,
  type Answer,
  type Receipt,
} from '../gateway.ts';
import type { SenderOf } from '../senders.ts';
import {
  addressOf,
  bindBody,
  commands,
  encodePdu,
  partHeader,
  pduReader,
  readDelivery,
  readSubmitted,
  responseBit,
  submitBody,
  type Pdu,
} from './smpp-pdu.ts';

export interface SmppSettings {
  url: string;
  password: string;
  systemType: string;
  /** Submissions that may wait for their answer at once. */
  window: number;
  sender: SenderOf;
  onReceipt(receipt: Receipt): void;
  /** How often the link is tried while nothing moves, and how long its answer may take. */
  enquireMilliseconds?: number;
}

/** Section 5.1.3. */
const invalidDestination = 0x0b;
const throttling = new Set([0x14, 0x58]);
const answerMilliseconds = 10_000;
/** Nobody answers in less. */
const leastMilliseconds = 20;
const shortestPauseMilliseconds = 500;
const longestPauseMilliseconds = 30_000;
/** At a start the first messages wait a little for the bind. */
const bindPatienceMilliseconds = 1500;

/** What came of asking the SMSC for something. */
type Response = { kind: 'answer'; pdu: Pdu } | { kind: 'unavailable' | 'unknown'; reason: string };

type Session = ReturnType<typeof openSession>;

export function smpp(settings: SmppSettings): Gateway {
  let session: Session | undefined;
  let pause = shortestPauseMilliseconds;
  let timer: NodeJS.Timeout | undefined;
  let lastReason = 'not connected yet';
  let closed = false;
  /** Of parts of long messages; a phone tells them apart by it. */
  let partReference = 0;

  function open(): void {
    const opened = openSession(settings, (reason) => {
      if (opened === session) session = undefined;
      lastReason = reason;
      if (closed) return;
      timer = setTimeout(open, pause).unref();
      pause = Math.min(longestPauseMilliseconds, pause * 2);
    });
    session = opened;
    void opened.bound.then((bound) => {
      if (bound) pause = shortestPauseMilliseconds;
    });
  }
  open();

  async function boundSession(withinMilliseconds: number): Promise<Session | undefined> {
    const current = session;
    if (!current) return undefined;
    const patience = Math.min(withinMilliseconds, bindPatienceMilliseconds);
    return (await within(current.bound, patience)) ? current : undefined;
  }

  async function send(message: Message, withinMilliseconds: number): Promise<Answer> {
    const ends = performance.now() + withinMilliseconds;
    const current = await boundSession(withinMilliseconds);
    if (!current) return unavailable(lastReason);
    const { alphabet, parts } = splitSegments(message.text);
    partReference = (partReference + 1) & 0xff;
    let lastAnswer: Answer | undefined;
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1;
      const header = parts.length > 1 ? partHeader(partReference, parts.length, index + 1) : undefined;
      const body = submitBody({
        source: addressOf(settings.sender(message.country)),
        destination: addressOf(message.phone),
        validSeconds: message.validSeconds,
        // A long message has arrived when its last part has.
        wantsReceipt: last,
        ucs2: alphabet === 'UCS-2',
        hasHeader: header !== undefined,
        text: header ? Buffer.concat([header, part]) : part,
      });
      const answer = read(await current.request(commands.submitSm, body, ends - performance.now()));
      if (answer.outcome !== 'accepted') return index > 0 ? unknown(`${answer.reason}, of a part`) : answer;
      lastAnswer = answer;
    }
    return lastAnswer!;
  }

  function read(response: Response): Answer {
    if (response.kind !== 'answer') return { outcome: response.kind, reason: response.reason };
    const { status, body } = response.pdu;
    if (status === 0) return accepted(readSubmitted(body));
    const reason = `status 0x${status.toString(16).padStart(2, '0')}`;
    if (status === invalidDestination) return refused(reason);
    return throttling.has(status) ? throttled(reason) : unavailable(reason);
  }

  return {
    name: 'smpp',
    send,
    async close() {
      closed = true;
      clearTimeout(timer);
      await session?.close();
    },
  };
}

function openSession(settings: SmppSettings, onEnd: (reason: string) => void) {
  const { hostname, port, protocol, username } = new URL(settings.url);
  const secure = protocol === 'smpps:';
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 3550 : 2775) };
  const socket: Socket = secure
    ? // A server is named by its name alone, never by an address (RFC 6066).
      connectSecure({ ...address, ...(isIP(address.host) === 0 && { servername: address.host }) })
    : connectPlain({ ...address, noDelay: true });
  const readPdus = pduReader();
  const waiting = new Map<number, (response: Response) => void>();
  const queue: (() => void)[] = [];
  let submitted = 0;
  let sequence = 0;
  let ended = false;
  let isBound = false;
  let heardAt = performance.now();
  let ready: (bound: boolean) => void;
  const bound = new Promise<boolean>((resolve) => (ready = resolve));

  function end(reason: string): void {
    if (ended) return;
    ended = true;
    clearInterval(pulse);
    socket.destroy();
    ready(false);
    for (const tell of waiting.values()) tell({ kind: 'unknown', reason });
    for (const go of queue.splice(0)) go();
    onEnd(reason);
  }

  function write(pdu: Pdu): void {
    socket.write(encodePdu(pdu));
  }

  /** Sends one packet and waits for its answer. */
  function ask(command: number, body: Buffer, withinMilliseconds: number): Promise<Response> {
    return new Promise((resolve) => {
      sequence = sequence >= 0x7fffffff ? 1 : sequence + 1;
      const mine = sequence;
      const tell = (response: Response) => {
        clearTimeout(late);
        waiting.delete(mine);
        resolve(response);
      };
      const late = setTimeout(() => tell({ kind: 'unknown', reason: 'no answer in time' }), withinMilliseconds);
      waiting.set(mine, tell);
      write({ command, status: 0, sequence: mine, body });
    });
  }

  /** The same, but no more of them at once than the window allows. A place that is given up goes to the next in turn. */
  async function request(command: number, body: Buffer, withinMilliseconds: number): Promise<Response> {
    const ends = performance.now() + withinMilliseconds;
    if (submitted < settings.window) submitted += 1;
    else if (!(await turn(withinMilliseconds))) return { kind: 'unavailable', reason: 'the window stayed full' };
    try {
      if (ended) return { kind: 'unavailable', reason: 'connection lost' };
      const left = ends - performance.now();
      if (left < leastMilliseconds) return { kind: 'unavailable', reason: 'the window stayed full' };
      return await ask(command, body, left);
    } finally {
      const next = queue.shift();
      if (next) next();
      else submitted -= 1;
    }
  }

  function turn(withinMilliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(late);
        resolve(true);
      };
      const late = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1);
        resolve(false);
      }, withinMilliseconds);
      queue.push(go);
    });
  }

  function take(pdu: Pdu): void {
    const { command, status, sequence: theirs, body } = pdu;
    if (command >= responseBit) return waiting.get(theirs)?.({ kind: 'answer', pdu });
    const answer = (answered: number, answerStatus: number, answerBody = Buffer.alloc(0)) =>
      write({ command: answered, status: answerStatus, sequence: theirs, body: answerBody });
    switch (command) {
      case commands.enquireLink:
        return answer(command + responseBit, 0);
      case commands.unbind:
        answer(command + responseBit, 0);
        return end('unbound by the SMSC');
      case commands.deliverSm:
        // An empty message id, which the answer has by the book.
        answer(command + responseBit, 0, Buffer.from([0]));
        return deliver(body);
      default:
        // 0x03: no such command here.
        return status === 0 ? answer(commands.genericNack, 0x03) : undefined;
    }
  }

  function deliver(body: Buffer): void {
    const { isReceipt, id, state, error } = readDelivery(body);
    if (!isReceipt || id === '') return;
    if (state === 'DELIVRD') return settings.onReceipt({ id, state: 'delivered' });
    if (['UNDELIV', 'EXPIRED', 'REJECTD', 'DELETED'].includes(state)) {
      settings.onReceipt({ id, state: 'failed', reason: `${state} ${error}`.trim() });
    }
  }

  async function bind(): Promise<void> {
    const body = bindBody(decodeURIComponent(username), settings.password, settings.systemType);
    const response = await ask(commands.bindTransceiver, body, answerMilliseconds);
    if (response.kind !== 'answer') return end(response.reason);
    const { status } = response.pdu;
    if (status !== 0) return end(`bind refused, status 0x${status.toString(16).padStart(2, '0')}`);
    isBound = true;
    ready(true);
  }

  /** A link that fell silent is found out by asking. */
  const enquireMilliseconds = settings.enquireMilliseconds ?? 15_000;
  const pulse = setInterval(() => {
    if (!isBound || performance.now() - heardAt < enquireMilliseconds) return;
    void ask(commands.enquireLink, Buffer.alloc(0), Math.min(answerMilliseconds, enquireMilliseconds)).then(
      (response) => response.kind === 'answer' || end('the link fell silent'),
    );
  }, enquireMilliseconds).unref();

  socket.once(secure ? 'secureConnect' : 'connect', () => void bind());
  socket.on('data', (chunk: Buffer) => {
    heardAt = performance.now();
    try {
      for (const pdu of readPdus(chunk)) take(pdu);
    } catch (error) {
      end(`not SMPP: ${(error as Error).message}`);
    }
  });
  socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'connection failed'));
  socket.on('close', () => end('connection lost'));
  const late = setTimeout(() => socket.connecting && end('no connection in time'), answerMilliseconds).unref();

  return {
    bound,
    request,
    async close(): Promise<void> {
      clearTimeout(late);
      if (!ended && isBound) await ask(commands.unbind, Buffer.alloc(0), 500);
      end('closed');
    },
  };
}

/** The promise's value, or undefined when it takes longer. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
