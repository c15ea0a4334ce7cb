/**
 * The port of a node with several processes. The primary accepts the connections and passes each to a worker, in turn.
 * Node's own cluster does the same, but when it closes the port it resets the connections that no worker has taken yet.
 */
import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { openPort, type OpenPort } from '../server.ts';

/** The message that comes with a connection. */
export const connectionMessage = 'connection';

export class SharedPort {
  readonly #host: string;
  readonly #port: number;
  /** The workers, in the order of their turns, with the connections that are still on the way to each. */
  readonly #underWay = new Map<Worker, number>();
  #open: Promise<OpenPort> | undefined;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** The port is open while there are workers: a proxy asks another node if it is refused. */
  async add(worker: Worker): Promise<void> {
    this.#underWay.set(worker, 0);
    this.#open ??= openPort(this.#host, this.#port, (socket) => this.#pass(socket), { pauseOnConnect: true });
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

  /** To the next worker, but not to one that is busy with connections that it was sent before, if another one is not. */
  #pass(socket: Socket): void {
    const [first] = [...this.#underWay].toSorted(([, a], [, b]) => a - b);
    if (!first) return void socket.destroy();
    const [worker, count] = first;
    // To the end: the next one has its turn.
    this.#underWay.delete(worker);
    this.#underWay.set(worker, count + 1);
    worker.send(connectionMessage, socket, (error) => {
      if (error) socket.destroy();
      const left = this.#underWay.get(worker);
      if (left !== undefined) this.#underWay.set(worker, left - 1);
    });
  }
}
