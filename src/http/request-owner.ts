/** The caller for whom the work of a request is done, and whether the caller still waits for it. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller.ts';
import type { Owner } from '../sharing/slots.ts';

export class RequestOwner implements Owner {
  readonly key: string;
  readonly kind: Owner['kind'];
  isActive = false;
  waits = 0;
  readonly #response: ServerResponse;
  #controller: AbortController | undefined;

  constructor(caller: Caller | undefined, response: ServerResponse) {
    this.key =
      caller === undefined
        ? 'anonymous'
        : caller.userId === undefined
          ? `client ${caller.client} ${caller.subject}`
          : `user ${caller.userId}`;
    this.kind = caller?.userId === undefined ? 'client' : 'user';
    this.#response = response;
  }

  disconnect(): void {
    // An answer that waits behind another one on its connection has no connection yet.
    (this.#response.req.socket ?? this.#response).destroy();
  }

  /** Created on first use: most requests are answered before their caller could leave. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      const response = this.#response;
      this.#controller = controller;
      if (response.destroyed) controller.abort();
      else response.once('close', () => response.writableFinished || controller.abort());
    }
    return this.#controller.signal;
  }
}
