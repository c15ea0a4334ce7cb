/**
 * The port of a node with several processes. The primary accepts the connections and passes each to a worker, in turn.
 * Node's own cluster does the same, but when it closes the port it resets the connections that no worker has taken yet.
 */
import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { ReportError } from '../../monitoring/background.ts';
import { openPort, type OpenPort } from '../server.ts';
import { isMessage } from './channel.ts';

/** Comes with a connection, and once more after it. */
export interface PassedMessage {
  passed: number;
}

/** The worker's reply: from here on it closes the connection if it ends. */
export interface TakenMessage {
  taken: number;
}

export class SharedPort {
  readonly #host: string;
  readonly #port: number;
  readonly #report: ReportError;
  /** The workers, in the order of their turns, with the connections that each has not taken yet. */
  readonly #underWay = new Map<Worker, Map<number, Socket>>();
  #lastNumber = 0;
  #open: Promise<OpenPort> | undefined;

  constructor(host: string, port: number, report: ReportError) {
    this.#host = host;
    this.#port = port;
    this.#report = report;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** The port is open while there are workers: a proxy asks another node if it is refused. */
  async add(worker: Worker): Promise<void> {
    const sockets = new Map<number, Socket>();
    this.#underWay.set(worker, sockets);
    worker.on('message', (message: unknown) => {
      if (!isMessage<TakenMessage>(message, 'taken')) return;
      sockets.get(message.taken)?.destroy();
      sockets.delete(message.taken);
    });
    // Not on 'exit', since replies may still be unread then.
    worker.process.once('close', () => sockets.forEach((socket) => this.#pass(socket)));
    this.#open ??= openPort(this.#host, this.#port, (socket) => this.#pass(socket), {
      pauseOnConnect: true,
      report: this.#report,
    });
    try {
      await this.#open;
    } catch (error) {
      this.#underWay.delete(worker);
      this.#open = undefined;
      throw error;
    }
  }

  /** A message that is sent to the worker after this call arrives after all its connections. */
  async remove(worker: Worker): Promise<void> {
    if (this.#underWay.delete(worker) && this.#underWay.size === 0) await this.close();
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await (await open)?.close();
  }

  /**
   * To the next worker, but not to one that is busy with connections that it was sent before, if another one is not. The
   * connection stays open here until the worker has taken it, so that another one can have it if the worker ends.
   */
  #pass(socket: Socket): void {
    const [first] = [...this.#underWay].toSorted(([, a], [, b]) => a.size - b.size);
    if (!first) return void socket.destroy();
    const [worker, sockets] = first;
    // To the end: the next one has its turn.
    this.#underWay.delete(worker);
    this.#underWay.set(worker, sockets);
    const passed = (this.#lastNumber += 1);
    sockets.set(passed, socket);
    const message: PassedMessage = { passed };
    worker.send(message, socket, { keepOpen: true }, passedOnAtEnd);
    // Node drops a message whose connection the worker has no file descriptor for. The worker replies to this one then.
    worker.send(message, passedOnAtEnd);
  }
}

/** If a connection cannot be sent, the worker is ending. */
function passedOnAtEnd(): void {}
