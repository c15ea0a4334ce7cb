/**
 * One SMPP 3.4 session as a transceiver. A session is never repaired: when it breaks, all requests that wait in it are
 * answered immediately, and the caller opens another.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { giveTime } from '../../network/give-time.ts';
import { sharedLookup } from '../../network/shared-lookup.ts';
import type { Receipt } from '../gateway.ts';
import { bindBody, commands, encodePdu, isResponse, pduReader, readDelivery, responseTo, type Pdu } from './pdu.ts';

export interface SessionOptions {
  /** smpp://system-id@host:port, or smpps:// for TLS. */
  url: string;
  password: string;
  systemType: string;
  /** Maximum number of submissions that wait for their response at the same time. */
  window: number;
  /** How long the link may be silent before it is tested. */
  enquireMilliseconds: number;
  onReceipt(receipt: Receipt): void;
  onEnd(reason: string): void;
}

/** The outcome of a request. Unavailable: it was not written. Unknown: it was written, and has no response. */
export type Response = { outcome: 'answered'; pdu: Pdu } | { outcome: 'unavailable' | 'unknown'; reason: string };

const answerMilliseconds = 10_000;
const unbindMilliseconds = 500;
/** No SMSC answers faster than this. */
const shortestWaitMilliseconds = 20;
const largestSequence = 0x7fffffff;
const unknownCommandStatus = 0x03;
const failedStates = ['UNDELIV', 'EXPIRED', 'REJECTD', 'DELETED'];

export type SmppSession = ReturnType<typeof openSession>;

export function openSession(options: SessionOptions) {
  const { socket, readyEvent } = connect(options.url);
  const readPdus = pduReader();
  const waiting = new Map<number, (response: Response) => void>();
  const takeTurn = createTurns(options.window);
  let sequence = 0;
  let hasEnded = false;
  let isBound = false;
  let heardAt = performance.now();
  let resolveBound: (isBound: boolean) => void;
  const bound = new Promise<boolean>((resolve) => (resolveBound = resolve));

  function end(reason: string): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(linkTimer);
    clearTimeout(connectTimer);
    socket.destroy();
    resolveBound(false);
    for (const answer of waiting.values()) answer({ outcome: 'unknown', reason });
    takeTurn.releaseAll();
    options.onEnd(reason);
  }

  function write(pdu: Pdu): void {
    socket.write(encodePdu(pdu));
  }

  /** Writes one request and waits for its response. */
  function request(command: number, body: Buffer, withinMilliseconds: number): Promise<Response> {
    return new Promise((resolve) => {
      sequence = sequence >= largestSequence ? 1 : sequence + 1;
      const ownSequence = sequence;
      const answer = (response: Response) => {
        endTimer();
        waiting.delete(ownSequence);
        resolve(response);
      };
      const endTimer = giveTime(withinMilliseconds, () => answer({ outcome: 'unknown', reason: 'no answer in time' }));
      waiting.set(ownSequence, answer);
      write({ command, status: 0, sequence: ownSequence, body });
    });
  }

  /** Submits a message when the window has room. */
  async function submit(body: Buffer, withinMilliseconds: number): Promise<Response> {
    const endsAt = performance.now() + withinMilliseconds;
    const release = await takeTurn(withinMilliseconds);
    if (!release) return { outcome: 'unavailable', reason: 'the window stayed full' };
    try {
      if (hasEnded) return { outcome: 'unavailable', reason: 'connection lost' };
      const left = endsAt - performance.now();
      if (left < shortestWaitMilliseconds) return { outcome: 'unavailable', reason: 'the window stayed full' };
      return await request(commands.submitSm, body, left);
    } finally {
      release();
    }
  }

  function handle(pdu: Pdu): void {
    const { command, status } = pdu;
    if (isResponse(command)) return waiting.get(pdu.sequence)?.({ outcome: 'answered', pdu });
    const respond = (respondedCommand: number, respondedStatus: number, body = Buffer.alloc(0)) =>
      write({ command: respondedCommand, status: respondedStatus, sequence: pdu.sequence, body });
    switch (command) {
      case commands.enquireLink:
        return respond(responseTo(command), 0);
      case commands.unbind:
        respond(responseTo(command), 0);
        return end('unbound by the SMSC');
      case commands.deliverSm:
        // Section 4.6.2: the response has a message id, which is empty.
        respond(responseTo(command), 0, Buffer.from([0]));
        return takeDelivery(pdu.body);
      default:
        return status === 0 ? respond(commands.genericNack, unknownCommandStatus) : undefined;
    }
  }

  function takeDelivery(body: Buffer): void {
    const { isReceipt, id, state, error } = readDelivery(body);
    if (!isReceipt || id === '') return;
    if (state === 'DELIVRD') options.onReceipt({ id, state: 'delivered' });
    if (failedStates.includes(state)) {
      options.onReceipt({ id, state: 'failed', reason: `${state} ${error}`.trim() });
    }
  }

  async function bind(): Promise<void> {
    const systemId = decodeURIComponent(new URL(options.url).username);
    const body = bindBody(systemId, options.password, options.systemType);
    const response = await request(commands.bindTransceiver, body, answerMilliseconds);
    if (response.outcome !== 'answered') return end(response.reason);
    const { status } = response.pdu;
    if (status !== 0) return end(`bind refused, ${nameStatus(status)}`);
    isBound = true;
    resolveBound(true);
  }

  /** Tests whether a silent link still works. */
  async function enquireLink(): Promise<void> {
    if (!isBound || performance.now() - heardAt < options.enquireMilliseconds) return;
    const within = Math.min(answerMilliseconds, options.enquireMilliseconds);
    const response = await request(commands.enquireLink, Buffer.alloc(0), within);
    if (response.outcome !== 'answered') end('the link is silent');
  }

  const endFor = (error: unknown) => end(`failed: ${(error as Error).name}`);
  const linkTimer = setInterval(() => {
    enquireLink().catch(endFor);
  }, options.enquireMilliseconds).unref();
  // Until the handshake of TLS is finished, too: without a bind nothing else tests the link.
  const connectTimer = setTimeout(() => end('no connection in time'), answerMilliseconds).unref();

  socket.once(readyEvent, () => {
    clearTimeout(connectTimer);
    bind().catch(endFor);
  });
  socket.on('data', (chunk: Buffer) => {
    heardAt = performance.now();
    try {
      for (const pdu of readPdus(chunk)) handle(pdu);
    } catch (error) {
      end(`not SMPP: ${(error as Error).message}`);
    }
  });
  socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'connection failed'));
  socket.on('close', () => end('connection lost'));

  return {
    /** Whether the bind succeeded, as soon as that is known. */
    bound,
    submit,
    async close(): Promise<void> {
      if (!hasEnded && isBound) await request(commands.unbind, Buffer.alloc(0), unbindMilliseconds);
      end('closed');
    },
  };
}

export function nameStatus(status: number): string {
  return `status 0x${status.toString(16).padStart(2, '0')}`;
}

function connect(url: string): { socket: Socket; readyEvent: 'connect' | 'secureConnect' } {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'smpps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(port) || (isSecure ? 3550 : 2775), lookup: sharedLookup };
  if (!isSecure) return { socket: connectPlain({ ...address, noDelay: true }), readyEvent: 'connect' };
  // RFC 6066, section 3: an IP address is not a server name.
  const socket = connectSecure({ ...address, ...(isIP(host) === 0 && { servername: host }) });
  return { socket, readyEvent: 'secureConnect' };
}

/** At most `limit` turns at the same time; the others wait in order. A turn ends when its release is called. */
function createTurns(limit: number) {
  const queue: (() => void)[] = [];
  let taken = 0;

  function release(): void {
    const next = queue.shift();
    if (next) next();
    else taken -= 1;
  }

  function wait(withinMilliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const start = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(start), 1);
        resolve(false);
      }, withinMilliseconds);
      queue.push(start);
    });
  }

  /** Returns undefined if there was no turn within the time. */
  async function takeTurn(withinMilliseconds: number): Promise<(() => void) | undefined> {
    if (taken < limit) taken += 1;
    else if (!(await wait(withinMilliseconds))) return undefined;
    return release;
  }

  return Object.assign(takeTurn, {
    /** Lets all waiting callers continue. */
    releaseAll(): void {
      const waitingTurns = queue.splice(0);
      taken += waitingTurns.length;
      for (const start of waitingTurns) start();
    },
  });
}
